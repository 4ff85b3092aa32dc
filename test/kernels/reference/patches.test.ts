import { expect, test } from "vitest";
import { negativeLogProbability } from "../../../src/kernels/reference/patches.js";
import { invert as referenceInvert } from "../../../src/kernels/reference/matrix.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { densityOf } from "../../contracts/patches-contract.js";
import { seed } from "../../support/seed.js";

const random = createRandom(seed, "patch gradient");

test.each([2, 3])("the gradient matches finite differences, size %i", (size) => {
  const density = densityOf(size);
  const x = Float64Array.from(random.normalFill(new Float32Array(size * size)));
  const { gradient } = negativeLogProbability(density, x);
  x.forEach((value, k) => {
    const at = (t: number): number => negativeLogProbability(density, x.with(k, value + t)).value;
    const h = 1e-5;
    expect(gradient[k]).toBeCloseTo((at(h) - at(-h)) / (2 * h), 6);
  });
});

test("the value is exact without coupling, and near it with a little", () => {
  const density = densityOf(2);
  const x = Float64Array.from([0.5, -1, 2, 0.25]);
  const n = 4;
  const onlyOwn = density.gamma.map((value, k) => (k % (n + 1) === 0 ? value : 0));
  const alone = { ...density, gamma: onlyOwn };
  expect(negativeLogProbability(alone, x).value).toBeCloseTo(exactly(alone, x), 12);
  const weak = density.gamma.map((value, k) => (k % (n + 1) === 0 ? value : 0.01 * value));
  const coupled = { ...density, gamma: weak };
  // The next terms of the expansion are of third order.
  expect(negativeLogProbability(coupled, x).value).toBeCloseTo(exactly(coupled, x), 7);
});

/** −log p(x) up to the same constant, with the determinant itself. */
function exactly(density: ReturnType<typeof densityOf>, x: Float64Array): number {
  const n = x.length;
  const { H, gamma, c, alpha, beta, epsilon } = density;
  const z = Float64Array.from(c, (value, i) =>
    x.reduce((sum, each, k) => sum + H[i * n + k] * each, value),
  );
  const u = Array.from(z, (value, i) => Math.abs(value) ** alpha[i]);
  const D = u.map((_, i) => u.reduce((sum, each, j) => sum + gamma[i * n + j] * each, beta[i]));
  const M = D.flatMap((pool, i) =>
    u.map((each, j) => (epsilon[i] * gamma[i * n + j] * alpha[j] * each) / pool),
  );
  const inverse = new Float64Array(n * n);
  const matrix = Float64Array.from(M, (value, k) => (k % (n + 1) === 0 ? 1 : 0) - value);
  let value = -referenceInvert(matrix, n, inverse);
  D.forEach((pool, i) => {
    value += (z[i] * pool ** -epsilon[i]) ** 2 / 2 + epsilon[i] * Math.log(pool);
  });
  return value;
}
