/** Compares the specification with numerical derivatives. */
import { describe, expect, test } from "vitest";
import type { FloatArray, GdnParameters } from "../../../src/kernels/kernels.js";
import { referenceKernels } from "../../../src/kernels/reference/index.js";
import { type RandomStream, createRandom } from "../../../src/random/random-stream.js";
import { derivative, gradientByDifferences, logAbsDeterminant } from "../../support/differences.js";
import { expectClose, largest } from "../../support/expect-close.js";
import {
  type CaseSize,
  backpropagate,
  gaussianize,
  gdnForms,
  groupsOf,
  randomParameters,
} from "../../support/gdn-layers.js";
import { seed } from "../../support/seed.js";

/**
 * Differences are accurate to about 1e-12 of the subtracted values (support/differences.ts); 1e-7
 * allows for steep places, where ε_i is just below 1/α_ii and the fifth derivative large.
 */
const tolerance = 1e-7;
const sizes = [1, 2, 3, 5, 8];

interface Layer {
  readonly parameters: GdnParameters;
  readonly x: Float64Array;
}

/**
 * Values in Float64, for steps far below Float32. No |z| is near 0, where |z|^α is too steep for
 * differences, except those that must be 0; all Jacobians are positive definite.
 */
function layerFor(
  random: RandomStream,
  { form, n, linear }: Omit<CaseSize, "count">,
  zeros: readonly number[] = [],
): Layer {
  const given = randomParameters(random, { form, n, linear });
  const { H, alpha, beta, gamma, epsilon } = given;
  const parameters = {
    ...given,
    H: H && Float64Array.from(H),
    alpha: Float64Array.from(alpha),
    beta: Float64Array.from(beta),
    gamma: Float64Array.from(gamma),
    epsilon: Float64Array.from(epsilon),
  };
  for (;;) {
    const x = Float64Array.from({ length: n }, () => 2 * random.normal());
    const z = Float64Array.from(x);
    if (H) referenceKernels.multiply(H, x, z, { rows: n, inner: n, columns: 1 });
    if (z.some((value) => Math.abs(value) < 0.2)) continue;
    for (const j of zeros) x[j] = j % 2 === 0 ? 0 : -0;
    const results = gaussianize(referenceKernels, { parameters, x, count: 1, upstream: x });
    if (results.failedPivot[0] < 0) return { parameters, x };
  }
}

function evaluate({ parameters, x }: Layer): { y: FloatArray; logDeterminant: number } {
  const results = gaussianize(referenceKernels, { parameters, x, count: 1, upstream: x });
  expect(results.failedPivot[0]).toBe(-1);
  return { y: results.y as FloatArray, logDeterminant: results.logDeterminant[0] };
}

interface Loss {
  readonly value: (y: FloatArray) => number;
  /** ∂loss/∂y; null for the loss ½‖y‖². */
  readonly upstream: (y: FloatArray) => Float64Array | null;
}

const losses: Record<string, Loss> = {
  "½‖y‖²": {
    value: (y) => {
      let sum = 0;
      y.forEach((value) => (sum += value ** 2 / 2));
      return sum;
    },
    upstream: () => null,
  },
  "Σ (i + 1) log cosh(y_i + 0.3)": {
    value: (y) => {
      let sum = 0;
      y.forEach((value, i) => (sum += (i + 1) * Math.log(Math.cosh(value + 0.3))));
      return sum;
    },
    upstream: (y) => Float64Array.from(y, (value, i) => (i + 1) * Math.tanh(value + 0.3)),
  },
};

function expectGradients(layer: Layer, { value, upstream }: Loss, step?: number): void {
  const objective = (): number => {
    const { y, logDeterminant } = evaluate(layer);
    return value(y) - logDeterminant;
  };
  const { parameters, x } = layer;
  const batch = { parameters, x, count: 1 };
  const found = backpropagate(referenceKernels, batch, upstream(evaluate(layer).y));
  const expectGroup = (what: string, actual: FloatArray, values: FloatArray): void => {
    const expected = gradientByDifferences(values as Float64Array, objective, step);
    const scale = Math.max(1, largest(expected));
    expectClose(actual, expected, { relative: tolerance, scale }, `∂L/∂${what}`);
  };
  const sums = groupsOf(found.sums);
  groupsOf(parameters).forEach(([group, values], k) => {
    expectGroup(group, sums[k][1], values);
  });
  expectGroup("x", found.xGradient as FloatArray, x);
}

for (const form of gdnForms) {
  for (const linear of [false, true]) {
    const withH = linear ? "with H" : "without H";
    describe(`GDN specification, ${form} form, ${withH}, seed ${seed}`, () => {
      const sized = (n: number): Layer =>
        layerFor(createRandom(seed, "differences", form, n, withH), { form, n, linear });

      test.each(sizes)("n = %d: log-det equals finite differences to 1e-7", (n) => {
        const layer = sized(n);
        const { x, parameters } = layer;
        // Column j of the Jacobian is ∂y/∂x_j; its transpose has the same determinant.
        const columns = Array.from({ length: n }, (_, j) => {
          const yAt = (t: number, i: number): number =>
            evaluate({ parameters, x: x.map((value, k) => value + (k === j ? t : 0)) }).y[i];
          return Float64Array.from({ length: n }, (_, i) => derivative((t) => yAt(t, i)));
        });
        const H = parameters.H as Float64Array | null;
        const rowsOfH = H && Array.from({ length: n }, (_, i) => H.subarray(i * n, (i + 1) * n));
        const expected = logAbsDeterminant(columns) - (rowsOfH ? logAbsDeterminant(rowsOfH) : 0);
        expectClose(evaluate(layer).logDeterminant, expected, { relative: tolerance, scale: n });
      });

      for (const [name, loss] of Object.entries(losses)) {
        test.each(sizes)(
          `n = %d, loss ${name}: every gradient equals finite differences to 1e-7`,
          (n) => {
            expectGradients(sized(n), loss);
          },
        );
      }
    });
  }

  describe(`GDN specification at z = 0, ${form} form, seed ${seed}`, () => {
    test("without upstream, where L is even in z, every gradient equals finite differences", () => {
      const random = createRandom(seed, "zeros", form);
      const layer = layerFor(random, { form, n: 5, linear: false }, [1, 4]);
      expectGradients(layer, losses["½‖y‖²"]);
    });
  });
}
