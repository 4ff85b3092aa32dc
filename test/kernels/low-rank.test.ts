/** Compares low-rank pooling with the full γ = diag(g) + U Vᵀ. */
import { describe, expect, test } from "vitest";
import type { FloatArray, GdnParameters, Kernels } from "../../src/kernels/kernels.js";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { lowRankParts, writeOutLowRank } from "../../src/kernels/low-rank.js";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose, float32Epsilon, largest } from "../support/expect-close.js";
import {
  type GdnCase,
  backpropagate,
  gaussianize,
  groupsOf,
  randomCase,
} from "../support/gdn-layers.js";
import { imagesOf, inversionMethods, settingsFor, synthesize } from "../support/gdn-inversions.js";
import { seed } from "../support/seed.js";

const { kernels: simd } = await loadKernels({ kernels: "simd" });

/**
 * R = 1, odd, a multiple of the blocks, more than half of N, more than N; N with and without
 * padding.
 */
const sizes = [
  { n: 1, rank: 1 },
  { n: 3, rank: 2 },
  { n: 6, rank: 5 },
  { n: 7, rank: 16 },
  { n: 12, rank: 1 },
  { n: 32, rank: 1 },
  { n: 100, rank: 1 },
  { n: 17, rank: 5 },
  { n: 40, rank: 16 },
  { n: 33, rank: 24 },
  { n: 64, rank: 64 },
];
const precisions: readonly { name: string; kernels: Kernels; relative: number }[] = [
  // Two different eliminations, of samples whose ‖(I − M)⁻¹‖ may be in the hundreds.
  { name: "reference", kernels: referenceKernels, relative: 1e-11 },
  { name: "simd", kernels: simd, relative: 4096 * float32Epsilon },
];

/** Returns the same layer in the form "column" in Float64, because γ is not exact in Float32. */
function writtenOut(parameters: GdnParameters): GdnParameters {
  const { dimension, rank = 0, gamma, H, alpha, beta, epsilon } = parameters;
  const full = writeOutLowRank(gamma, dimension, rank);
  return { form: "column", dimension, H, alpha, beta, epsilon, gamma: full };
}

/** ∂L/∂g, ∂L/∂U and ∂L/∂V from ∂L/∂γ: ∂γ_ij/∂U_ir = V_jr, ∂γ_ij/∂V_jr = U_ir. */
function chained({ gamma, dimension: n, rank = 0 }: GdnParameters, full: FloatArray): Float64Array {
  const { U, V } = lowRankParts(gamma, n, rank);
  const result = new Float64Array(gamma.length);
  const parts = lowRankParts(result, n, rank);
  for (let i = 0; i < n; i += 1) {
    parts.g[i] = full[i * n + i];
    for (let j = 0; j < n; j += 1) {
      for (let r = 0; r < rank; r += 1) {
        parts.U[r][i] += full[i * n + j] * V[r][j];
        parts.V[r][j] += full[i * n + j] * U[r][i];
      }
    }
  }
  return result;
}

describe.each(precisions)(
  `$name: low-rank γ equals the full one (seed ${seed})`,
  ({ name, kernels, relative }) => {
    describe.each(sizes)("N = $n, R = $rank", ({ n, rank }) => {
      const random = createRandom(seed, "low rank", name, n, rank);
      const cases = [false, true].map((linear) =>
        randomCase(random, { form: "low-rank", n, rank, linear, count: 9 }),
      );
      const close = (actual: FloatArray, expected: FloatArray, what: string): void => {
        expectClose(actual, expected, { relative, scale: Math.max(1, largest(expected)) }, what);
      };

      test.each(cases)("y, log-determinant and ∂L/∂x", (given: GdnCase) => {
        const full = { ...given, parameters: writtenOut(given.parameters) };
        const [own, wanted] = [gaussianize(kernels, given), gaussianize(referenceKernels, full)];
        close(own.y as FloatArray, wanted.y as FloatArray, "y");
        close(own.logDeterminant, wanted.logDeterminant, "log-determinant");
        for (const upstream of [null, given.upstream]) {
          const actual = backpropagate(kernels, given, upstream);
          const expected = backpropagate(referenceKernels, full, upstream);
          close(actual.xGradient as FloatArray, expected.xGradient as FloatArray, "∂L/∂x");
        }
      });

      test.each(cases)("the gradients of all parameters", (given: GdnCase) => {
        const full = { ...given, parameters: writtenOut(given.parameters) };
        const actual = groupsOf(backpropagate(kernels, given, given.upstream).sums);
        const wanted = groupsOf(backpropagate(referenceKernels, full, given.upstream).sums);
        actual.forEach(([group, values], k) => {
          const expected = wanted[k][1];
          const ofGamma = group === "gamma" ? chained(given.parameters, expected) : expected;
          close(values, ofGamma, `∂L/∂${group}`);
        });
      });

      test.each(inversionMethods)("the inverse, by %s", (method) => {
        const { parameters } = cases[0];
        const z = random.normalFill(new Float32Array(4 * n));
        const y = imagesOf(kernels, parameters, z);
        const settings = settingsFor(kernels, method);
        const found = synthesize(kernels, parameters, y, settings);
        const full = { ...writtenOut(parameters), H: null };
        const wanted = synthesize(
          referenceKernels,
          full,
          Float64Array.from(y),
          settingsFor(referenceKernels, method),
        );
        expect([...found.converged]).toEqual([1, 1, 1, 1]);
        // The residual is amplified by up to 1/(1 − max α_j ε_j) = 1000.
        const tolerance = name === "reference" ? 1e-9 : 1e-3;
        expectClose(found.z, wanted.z, { relative: tolerance, scale: largest(wanted.z) }, "z");
        if (method === "newton") expect(largest(found.iterations)).toBeLessThanOrEqual(20);
      });
    });
  },
);

test("stores g, then the columns of U and of V as rows", () => {
  // g = (1, 2), U = ((3, 5), (4, 6)), V = ((7, 9), (8, 10))
  const gamma = Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
  expect([...writeOutLowRank(gamma, 2, 2)]).toEqual([
    1 + 3 * 7 + 5 * 9,
    3 * 8 + 5 * 10,
    4 * 7 + 6 * 9,
    2 + 4 * 8 + 6 * 10,
  ]);
});
