import { describe, expect, test } from "vitest";
import {
  type GuidedExpert,
  expertFields,
  limits,
} from "../../../src/denoising/guided/guided-density.js";
import { estimateJob } from "../../../src/denoising/guided/estimate-job.js";
import { guidedJob } from "../../../src/denoising/guided/guided-job.js";
import type { FloatArray } from "../../../src/kernels/kernels.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { referenceRunner, simdRunner } from "../../support/inline-runners.js";
import { seed } from "../../support/seed.js";

const n = 4;
const count = 5;
const variance = 0.25;
const random = createRandom(seed, "guided job");
/**
 * Steps of the differences are powers of two, which these values can be changed by without
 * rounding.
 */
const step = 2 ** -9;
const exactly = (value: number): number => Math.round(value / step) * step;
const normals = (length: number): Float32Array =>
  random.normalFill(new Float32Array(length)).map(exactly);

// γ is not symmetric, no exponent is whole, inputs are of both signs.
const expert: GuidedExpert = {
  H: normals(n * n),
  G: normals(n * n),
  gamma: normals(n * n).map((value) => Math.abs(value) + 0.125),
  alpha: Float32Array.from([1.5, 1.25, 2.375, 2.75]),
  beta: Float32Array.from([0.5, 0.75, 1.25, 0.25]),
};
const [noisy, guide, errors] = [normals(count * n), normals(count * n), normals(count * n)];

const shared = {
  size: 2,
  experts: [expert],
  variance,
  bounds: { strengths: [], coherences: [] },
};

/** The patches lie one below the other. */
function estimates(of: GuidedExpert, runner = referenceRunner): FloatArray {
  const session = estimateJob.open(runner.kernels);
  session.share({ ...shared, experts: [of] });
  const corners = Int32Array.from({ length: count }, (_, k) => k * n);
  const kinds = new Uint16Array(count);
  const task = { width: 2, height: 2 * count, noisy, guide, corners, kinds };
  const { sums, counts } = session.perform(task).result;
  expect(counts.every((covering) => covering === 1)).toBe(true);
  return sums;
}

function gradientOf(runner = referenceRunner, given = guide): readonly FloatArray[] {
  const session = guidedJob.open(runner.kernels);
  session.share({ dimension: n, experts: [expert], variance });
  // Two groups of the same expert.
  const groups = [2, count - 2].map((patches) => ({ expert: 0, count: patches }));
  const task = { groups, noisy, guide: given, errors };
  const [first, second] = session.perform(task).result;
  return first.map((values, g) => values.map((v, k) => v + second[g][k]));
}

/** Computes the formula of guided-density.ts entry by entry. */
function estimateOf({ H, G, gamma, alpha, beta }: GuidedExpert, sample: number): number[] {
  const dot = (matrix: FloatArray, row: number, x: FloatArray): number => {
    let sum = 0;
    for (let k = 0; k < n; k++) sum += matrix[row * n + k] * x[sample * n + k];
    return sum;
  };
  const ratio = Array.from({ length: n }, (_, i) => {
    let D = beta[i];
    for (let j = 0; j < n; j++) D += gamma[i * n + j] * Math.abs(dot(G, j, guide)) ** alpha[j];
    return dot(H, i, noisy) / D;
  });
  return Array.from({ length: n }, (_, k) => {
    const pulled = ratio.reduce((sum, value, i) => sum + H[i * n + k] * value, 0);
    return noisy[sample * n + k] - variance * pulled;
  });
}

describe("the estimates of a guided density", () => {
  const expectedEstimates = Array.from({ length: count }, (_, s) => estimateOf(expert, s)).flat();

  test.each([
    ["reference", referenceRunner, 12],
    ["simd", simdRunner, 4],
  ] as const)("follow the formula, %s", (_, runner, digits) => {
    Array.from(estimates(expert, runner)).forEach((value, k) => {
      expect(value).toBeCloseTo(expectedEstimates[k], digits);
    });
  });

  test("equal the noisy patch plus σ² ∇ log p", () => {
    const found = estimates(expert);
    // log p(x̃ | x̂) = −½ Σ u² / D + what does not depend on x̃
    const energy = (x: Float64Array): number => {
      const moved = { ...expert };
      let sum = 0;
      for (let i = 0; i < n; i++) {
        let [u, D] = [0, moved.beta[i]];
        for (let j = 0; j < n; j++) {
          let v = 0;
          for (let k = 0; k < n; k++) v += moved.G[j * n + k] * guide[k];
          D += moved.gamma[i * n + j] * Math.abs(v) ** moved.alpha[j];
          u += moved.H[i * n + j] * x[j];
        }
        sum -= (u * u) / D / 2;
      }
      return sum;
    };
    for (let k = 0; k < n; k++) {
      const at = (t: number): number =>
        energy(Float64Array.from({ length: n }, (_, j) => noisy[j] + (j === k ? t : 0)));
      const slope = (at(step) - at(-step)) / (2 * step);
      expect(found[k]).toBeCloseTo(noisy[k] + variance * slope, 9);
    }
  });
});

describe("the gradient of a guided density", () => {
  const lossOf = (of: GuidedExpert): number => {
    const found = estimates(of);
    return errors.reduce((sum, error, k) => sum + error * found[k], 0);
  };

  test.each(expertFields)("matches finite differences: %s", (field) => {
    const own = gradientOf()[expertFields.indexOf(field)];
    expert[field].forEach((value, k) => {
      const at = (t: number): number => {
        const values = expert[field].slice();
        values[k] = value + t;
        return lossOf({ ...expert, [field]: values });
      };
      const slope = (h: number): number => (at(h) - at(-h)) / (2 * h);
      const expected = (4 * slope(step / 2) - slope(step)) / 3;
      expect(own[k]).toBeCloseTo(expected, 5);
    });
  });

  test("is the same in Float32, up to its precision", () => {
    const [exact, single] = [referenceRunner, simdRunner].map((runner) => gradientOf(runner));
    exact.forEach((values, g) => {
      values.forEach((value, k) => {
        expect(Math.abs(single[g][k] - value)).toBeLessThan(1e-4 * (1 + Math.abs(value)));
      });
    });
  });

  test("is finite for a flat guide", () => {
    const gradient = gradientOf(
      simdRunner,
      guide.map(() => 0),
    );
    expect(gradient).toHaveLength(expertFields.length);
    for (const values of gradient) {
      expect(values.every(Number.isFinite)).toBe(true);
    }
  });
});

test("limits of parameters are exact in Float32", () => {
  for (const limit of Object.values(limits).flat()) expect(Math.fround(limit)).toBe(limit);
});
