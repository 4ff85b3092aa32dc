import { describe, expect, it } from "vitest";
import { loadKernels } from "../../../src/kernels/load-kernels.js";
import type { Kernels } from "../../../src/kernels/kernels.js";
import { referenceKernels } from "../../../src/kernels/reference/index.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { spreadOverEntries } from "../../../src/transforms/gdn-structures.js";
import { GdnOutputs } from "../../../src/transforms/operators/gdn-outputs.js";
import { unreadResults } from "../../../src/transforms/operators/operator.js";
import { expectClose } from "../../support/expect-close.js";
import { randomLayerCase } from "../../support/gdn-layers.js";
import { seed } from "../../support/seed.js";

/** More samples than rows at a time, and a last part that is no multiple of four. */
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
  it.each(cases)("are the kernels' to the bit: $n dimensions, H $linear", async (size) => {
    const { kernels } = await loadKernels();
    const { ofKernel, alone } = both(kernels, size.n, size.linear);
    expect(alone).toEqual(ofKernel);
    expect(new Set(alone).size).toBeGreaterThan(count / 2);
  });

  it.each(cases)("are the specification's: $n dimensions, H $linear", ({ n, linear }) => {
    const { ofKernel, alone } = both(referenceKernels, n, linear);
    // Sums of up to 17 terms in another order, twice, and a power.
    expectClose(alone, ofKernel, { relative: 1e-13, scale: 1 });
  });
});
