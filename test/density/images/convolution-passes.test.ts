import { describe, expect, test } from "vitest";
import { determinantGradientOn } from "../../../src/density/images/convolution-passes.js";
import { determinantJob } from "../../../src/density/images/frequency-job.js";
import { WorkerPool } from "../../../src/parallel/worker-pool.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { convolution } from "../../../src/transforms/convolution.js";
import { convolutionDeterminantGradient } from "../../../src/transforms/convolutions/determinant.js";
import { expectClose, expectSameBits, largest } from "../../support/expect-close.js";
import { referenceRunner, simdRunner } from "../../support/inline-runners.js";
import { startFakeWorker } from "../../support/local-workers.js";
import { seed } from "../../support/seed.js";

describe(`determinants computed by several workers (seed ${seed})`, () => {
  const maps = 64;
  const weights = createRandom(seed, "taps").normalFill(new Float64Array(2 * maps * maps));
  for (let k = 0; k < maps; k++) weights[k * (maps + 1)] += 12;
  const taps = { width: 2, height: 1, left: 0, top: 0 };
  const given = convolution({ maps, taps, weights });
  const grid = { width: 10, height: 8 };

  test.each([1, 2, 3])("have the same bits with %i", async (workers) => {
    let tasks = 0;
    const start = () => startFakeWorker([determinantJob], () => tasks++);
    const pool = await WorkerPool.open(simdRunner.kernels, workers, start);
    const found = await determinantGradientOn(pool, given, grid);
    await pool.close();
    expect(tasks).toBe(workers);
    const { kernels } = simdRunner;
    const wanted = convolutionDeterminantGradient(given, grid, { kernels });
    expect(found.logDeterminant).toBe(wanted.logDeterminant);
    expect(found.smallestSingularValue).toBe(wanted.smallestSingularValue);
    expectSameBits(found.gradient, wanted.gradient);
  });

  test("count the mean more in gradients, whether or not it was drawn", async () => {
    const mean = convolutionDeterminantGradient(given, { width: 1, height: 1 }).gradient;
    for (const draw of [0, 1, 2, 3, 4, 5]) {
      const sample = () => ({ width: 2, height: 1, random: createRandom(seed, "drawn", draw) });
      const plain = await determinantGradientOn(referenceRunner, given, grid, {
        sample: sample(),
      });
      const found = await determinantGradientOn(referenceRunner, given, grid, {
        sample: sample(),
        weightOfMeans: 3,
      });
      const wanted = plain.gradient.map((value, k) => value + 3 * mean[k]);
      expectClose(found.gradient, wanted, { relative: 1e-11, scale: largest(wanted) });
      expectClose(found.logDeterminant, plain.logDeterminant, { relative: 1e-13 });
    }
  });
});
