import { describe, expect, test } from "vitest";
import { determinantGradientOn } from "../../../src/density/images/convolution-passes.js";
import { determinantJob } from "../../../src/density/images/frequency-job.js";
import type { TaskRunner } from "../../../src/parallel/job.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { convolution } from "../../../src/transforms/convolution.js";
import { convolutionDeterminantGradient } from "../../../src/transforms/convolutions/determinant.js";
import { expectClose, largest } from "../../support/expect-close.js";
import { referenceRunner } from "../../support/inline-runners.js";
import { seed } from "../../support/seed.js";

describe(`determinants computed by several workers (seed ${seed})`, () => {
  test("add up to those of all frequencies at once", async () => {
    const maps = 64;
    const weights = createRandom(seed, "taps").normalFill(new Float64Array(2 * maps * maps));
    for (let k = 0; k < maps; k++) weights[k * (maps + 1)] += 12;
    const taps = { width: 2, height: 1, left: 0, top: 0 };
    const given = convolution({ maps, taps, weights });
    const grid = { width: 10, height: 8 };
    let tasks = 0;
    const counting: TaskRunner = {
      size: 1,
      kernels: referenceRunner.kernels,
      close: () => Promise.resolve(),
      run: (job, shared, inputs, options) => {
        expect(job.name).toBe(determinantJob.name);
        tasks += inputs.length;
        return referenceRunner.run(job, shared, inputs, options);
      },
    };
    const found = await determinantGradientOn(counting, given, grid);
    expect(tasks).toBeGreaterThan(1);
    const wanted = convolutionDeterminantGradient(given, grid);
    // Sums of 42 terms in another order.
    expectClose(found.logDeterminant, wanted.logDeterminant, { relative: 1e-13 });
    expectClose(found.gradient, wanted.gradient, {
      relative: 1e-12,
      scale: largest(wanted.gradient),
    });
    expect(found.smallestSingularValue).toBe(wanted.smallestSingularValue);
  });
});
