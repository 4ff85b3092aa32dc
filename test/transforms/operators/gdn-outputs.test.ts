import { describe, expect, test } from "vitest";
import { loadKernels } from "../../../src/kernels/load-kernels.js";
import type { Kernels } from "../../../src/kernels/kernels.js";
import { referenceKernels } from "../../../src/kernels/reference/index.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { spreadOverEntries } from "../../../src/transforms/gdn-structures.js";
import { startingGdn } from "../../../src/transforms/gdn-start.js";
import { GdnOutputs } from "../../../src/transforms/operators/gdn-outputs.js";
import { openOperator } from "../../../src/transforms/stage-kinds.js";
import { unreadResults } from "../../../src/transforms/stage-kind.js";
import { expectClose } from "../../support/expect-close.js";
import { randomLayerCase } from "../../support/gdn-layers.js";
import { seed } from "../../support/seed.js";

/** More samples than rows per block, and a last block that is not a multiple of four. */
const [count, rows] = [11, 4];

function both(kernels: Kernels, n: number, linear: boolean) {
  const random = createRandom(seed, "outputs", n, String(linear));
  const { layer, x } = randomLayerCase(random, { form: "column", n, count, linear });
  x[1] = 0;
  const parameters = spreadOverEntries(layer);
  const samples = kernels.floats(x.length);
  samples.set(x);
  const shape = { form: "column", dimension: n, linear, leafSize: rows, maximumLeaves: 3 } as const;
  const kernel = kernels.gdn(shape);
  kernel.load(parameters);
  const [ofKernel, alone] = [kernels.floats(x.length), kernels.floats(x.length)];
  kernel.gaussianize(samples, count, unreadResults(count, ofKernel));
  new GdnOutputs(kernels, parameters, rows).compute(samples, count, alone);
  return { ofKernel, alone };
}

const cases = [1, 3, 8, 17].flatMap((n) => [true, false].map((linear) => ({ n, linear })));

describe(`outputs without log-determinants (seed ${seed})`, () => {
  test.each(cases)("equal the kernels' to the bit: $n dimensions, H $linear", async (size) => {
    const { kernels } = await loadKernels();
    const { ofKernel, alone } = both(kernels, size.n, size.linear);
    expect(alone).toEqual(ofKernel);
    expect(new Set(alone).size).toBeGreaterThan(count / 2);
  });

  test.each(cases)("agree with the specification: $n dimensions, H $linear", ({ n, linear }) => {
    const { ofKernel, alone } = both(referenceKernels, n, linear);
    // Sums of up to 17 terms in another order, twice, and a power.
    expectClose(alone, ofKernel, { relative: 1e-13, scale: 1 });
  });

  test.each(["column", "general"] as const)(
    "equal those of the pass with log-determinants if |z|^α overflows: %s",
    async (structure) => {
      const { kernels } = await loadKernels();
      const layer = startingGdn({ structure, dimension: 2 });
      const operator = openOperator(kernels, layer, { leafSize: 4, maximumLeaves: 1 });
      const x = Float32Array.of(0.5, -1, 3e30, 2e30, 2, 0.25);
      const [alone, wanted] = [new Float32Array(6), new Float32Array(6)];
      operator.apply(x, 3, alone);
      operator.gaussianize(x, 3, unreadResults(3, wanted));
      expect(alone).toEqual(wanted);
      // Without the rescue it would be 3e30 / ∞.
      expect(alone[2]).toBeGreaterThan(1);
    },
  );
});
