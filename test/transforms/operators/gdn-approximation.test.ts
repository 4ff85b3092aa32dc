import { describe, expect, test } from "vitest";
import { loadKernels } from "../../../src/kernels/load-kernels.js";
import type { GdnForm, Kernels } from "../../../src/kernels/kernels.js";
import { referenceKernels } from "../../../src/kernels/reference/index.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { spreadOverEntries } from "../../../src/transforms/gdn-structures.js";
import { type Gdn, gdn } from "../../../src/transforms/gdn.js";
import { trusted } from "../../../src/transforms/checks.js";
import { startingGdn } from "../../../src/transforms/gdn-start.js";
import { openOperator } from "../../../src/transforms/stage-kinds.js";
import { unreadResults } from "../../../src/transforms/stage-kind.js";
import { logAbsDeterminant } from "../../support/differences.js";
import { expectClose } from "../../support/expect-close.js";
import { randomLayerCase, sampleResults } from "../../support/gdn-layers.js";
import { enableRelaxedSimd } from "../../support/relaxed-simd.js";
import { seed } from "../../support/seed.js";

const kernelNames = (["reference", "simd", "relaxed-simd"] as const).filter(
  (name) => name !== "relaxed-simd" || enableRelaxedSimd(),
);

/** More samples than a leaf has, and a last leaf that is not a multiple of four. */
const [count, leafSize] = [11, 4];

function bothPasses(kernels: Kernels, form: GdnForm, n: number, linear = true) {
  const random = createRandom(seed, "approximate", form, n, String(linear));
  const { layer, x } = randomLayerCase(random, { form, n, count, linear });
  x[1] = 0;
  const shape = { form, dimension: n, linear, leafSize, maximumLeaves: 3 } as const;
  const kernel = kernels.gdn(form === "low-rank" ? { ...shape, rank: layer.rank ?? 0 } : shape);
  const parameters = spreadOverEntries(layer);
  kernel.load(parameters);
  const samples = kernels.floats(x.length);
  samples.set(x);
  const resultsOf = (pass: "gaussianize" | "approximate") => {
    const results = sampleResults(kernels, n, count);
    kernel[pass](samples, count, results);
    return results;
  };
  return { x, parameters, exact: resultsOf("gaussianize"), near: resultsOf("approximate") };
}

const cases = [1, 3, 8, 17].flatMap((n) => [true, false].map((linear) => ({ n, linear })));

describe(`the pass without eliminations (seed ${seed})`, () => {
  test.each(cases)("gives the same outputs to the bit: $n dimensions, H $linear", async (size) => {
    const { kernels } = await loadKernels();
    const { exact, near } = bothPasses(kernels, "column", size.n, size.linear);
    expect(near.y).toEqual(exact.y);
    expect(near.energy).toEqual(exact.energy);
    expect(new Set(near.y).size).toBeGreaterThan(count / 2);
  });

  test.each(cases)("agrees with the specification: $n dimensions, H $linear", async (size) => {
    const { kernels } = await loadKernels();
    const { near } = bothPasses(kernels, "column", size.n, size.linear);
    const { near: expected } = bothPasses(referenceKernels, "column", size.n, size.linear);
    // Sums of up to 17 Float32 terms, twice, and powers.
    expectClose(near.logDeterminant, expected.logDeterminant, { relative: 2e-5, scale: size.n });
  });

  test("counts the diagonal of I − M alone", () => {
    const n = 3;
    const { x, parameters, exact, near } = bothPasses(referenceKernels, "column", n, false);
    const { alpha, beta, gamma, epsilon } = parameters;
    const gaps: number[] = [];
    for (let s = 0; s < count; s++) {
      const z = x.subarray(s * n, (s + 1) * n);
      const rows = Array.from({ length: n }, (_, i) => {
        const terms = Array.from(z, (value, j) => gamma[i * n + j] * Math.abs(value) ** alpha[j]);
        const pool = terms.reduce((sum, term) => sum + term, beta[i]);
        return Float64Array.from(terms, (term, j) => {
          return (i === j ? 1 : 0) - (epsilon[i] * alpha[j] * term) / pool;
        });
      });
      const slopes = rows.reduce((sum, row, i) => sum + Math.log(row[i]), 0);
      const missing = logAbsDeterminant(rows) - slopes;
      const difference = exact.logDeterminant[s] - near.logDeterminant[s];
      expectClose(difference, missing, { relative: 1e-12, scale: 1 });
      gaps.push(missing);
    }
    expect(Math.max(...gaps)).toBeLessThanOrEqual(0);
    expect(Math.min(...gaps)).toBeLessThan(-0.001);
  });

  describe.each(["general", "diagonal", "low-rank"] as const)("in the form %s", (form) => {
    test.each(kernelNames)("is exact: %s", async (name) => {
      const { kernels } = await loadKernels({ kernels: name });
      const { exact, near } = bothPasses(kernels, form, 9);
      expect(near).toEqual(exact);
    });
  });

  test("gives the output of a sample without a density, and its component", async () => {
    const { kernels } = await loadKernels();
    // M_11 = ε α γ u / D is nearly ε α = 1.2 there.
    const layer = gdn({
      structure: "column",
      dimension: 2,
      H: null,
      alpha: [1, 2],
      beta: [1, 1],
      gamma: [0.5, 0.1, 0.1, 1],
      epsilon: [0.5, 0.45],
    });
    const steep = trusted<Gdn>({ ...layer, epsilon: Float32Array.of(0.5, 0.6) });
    const operator = openOperator(kernels, steep, { leafSize: 4, maximumLeaves: 1 });
    const results = sampleResults(kernels, 2, 2);
    operator.approximate?.(Float32Array.of(1, 0.1, 1, 50), 2, results);
    expect([...results.failedPivot]).toEqual([-1, 1]);
    expect(results.y?.[3]).toBeCloseTo(50 / (1 + 0.1 + 2500) ** 0.6, 4);
  });

  test.each(["column", "general"] as const)(
    "gives the outputs of samples whose |z|^α overflows: %s",
    async (structure) => {
      const { kernels } = await loadKernels();
      const layer = startingGdn({ structure, dimension: 2 });
      const operator = openOperator(kernels, layer, { leafSize: 4, maximumLeaves: 1 });
      const x = Float32Array.of(0.5, -1, 3e30, 2e30, 2, 0.25);
      const [near, wanted] = [new Float32Array(6), new Float32Array(6)];
      operator.approximate?.(x, 3, unreadResults(3, near));
      operator.gaussianize(x, 3, unreadResults(3, wanted));
      expect(near).toEqual(wanted);
      // Without the rescue it would be 3e30 / ∞.
      expect(near[2]).toBeGreaterThan(1);
    },
  );
});
