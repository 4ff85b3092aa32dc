import { describe, expect, test } from "vitest";
import { loadKernels } from "../../../src/kernels/load-kernels.js";
import type { GdnForm, Kernels } from "../../../src/kernels/kernels.js";
import { referenceKernels } from "../../../src/kernels/reference/index.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { spreadOverEntries } from "../../../src/transforms/gdn-structures.js";
import { startingGdn } from "../../../src/transforms/gdn-start.js";
import { openOperator } from "../../../src/transforms/stage-kinds.js";
import { unreadResults } from "../../../src/transforms/stage-kind.js";
import { logAbsDeterminant } from "../../support/differences.js";
import { expectClose } from "../../support/expect-close.js";
import { randomLayerCase, sampleResults } from "../../support/gdn-layers.js";
import { seed } from "../../support/seed.js";

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

  test.each(["general", "diagonal", "low-rank"] as const)("is exact in the form %s", (form) => {
    const { exact, near } = bothPasses(referenceKernels, form, 5);
    expect(near).toEqual(exact);
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
