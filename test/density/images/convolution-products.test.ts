import { describe, expect, test } from "vitest";
import {
  convolutionGradients,
  convolved,
  convolvedField,
} from "../../../src/density/images/convolution-products.js";
import { jobs } from "../../../src/jobs.js";
import type { TaskRunner } from "../../../src/parallel/job.js";
import { WorkerPool } from "../../../src/parallel/worker-pool.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { convolution, startingConvolution } from "../../../src/transforms/convolution.js";
import { batchOf } from "../../../src/transforms/field.js";
import { invertConvolution } from "../../../src/transforms/convolutions/inverse.js";
import { gradientByDifferences } from "../../support/differences.js";
import {
  convolutionCases,
  convolvedByDefinition,
  randomField,
} from "../../support/image-models.js";
import { expectClose, expectSameBits, largest } from "../../support/expect-close.js";
import { expectError } from "../../support/expect-error.js";
import { referenceRunner, simdRunner } from "../../support/inline-runners.js";
import { startFakeWorker } from "../../support/local-workers.js";
import { seed } from "../../support/seed.js";

describe(`a convolution (seed ${seed})`, () => {
  test.each(convolutionCases)("equals its definition, by products: %s", async (_, grid, given) => {
    const x = randomField(grid, given.maps);
    const wanted = convolvedByDefinition(given, x);
    const { values, ...size } = await convolvedField(referenceRunner, given, x);
    expect(size).toEqual({ ...grid, maps: given.maps });
    expectClose(values, wanted, { relative: 1e-13, scale: largest(wanted) });
    // One rounding for each of at most 60 products, and those of weights and values.
    const inFloat32 = await convolvedField(simdRunner, given, x);
    expect(inFloat32.values).toBeInstanceOf(Float32Array);
    expectClose(inFloat32.values, wanted, { relative: 2e-6, scale: largest(wanted) });
  });

  test.each(convolutionCases)(
    "is inverted to 1e-10, in both orders: %s",
    async (_, grid, given) => {
      const x = randomField(grid, given.maps);
      const y = await convolvedField(referenceRunner, given, x);
      expectClose(invertConvolution(given, y).values, x.values, { absolute: 1e-10 });
      const back = await convolvedField(referenceRunner, given, invertConvolution(given, x));
      expectClose(back.values, x.values, { absolute: 1e-10 });
    },
  );

  test.each(convolutionCases)(
    "has the gradients of central differences: %s",
    async (_, grid, given) => {
      const weights = Float64Array.from(given.weights);
      const x = randomField(grid, given.maps);
      const upstream = randomField(grid, given.maps, "upstream");
      const loss = (): number =>
        convolvedByDefinition(convolution({ ...given, weights }), x).reduce(
          (sum, value, k) => sum + value * upstream.values[k],
          0,
        );
      const byWeights = gradientByDifferences(weights, loss);
      const byValues = gradientByDifferences(x.values as Float64Array, loss);
      for (const [runner, relative] of [
        [referenceRunner, 1e-9],
        [simdRunner, 2e-6],
      ] as const) {
        const batch = { ...x, count: 1 };
        const found = await convolutionGradients(runner, given, batch, upstream.values, "joined");
        expectClose(found.weights, byWeights, { relative, scale: largest(byWeights) });
        expectClose(found.x ?? [], byValues, { relative, scale: largest(byValues) });
      }
    },
  );

  test("that loses a frequency is rejected with its name", () => {
    const taps = { width: 2, height: 1, left: 0, top: 0 };
    const mean = convolution({ maps: 1, taps, weights: [0.5, 0.5] });
    const field = randomField({ width: 4, height: 1 }, 1);
    expectError(() => invertConvolution(mean, field), { code: "not-invertible", phrase: "(2, 0)" });
    // Rows of odd length do not have this frequency.
    expect(invertConvolution(mean, randomField({ width: 5, height: 1 }, 1)).values).toHaveLength(5);
  });
});

describe("convolutions in workers have the same bits", () => {
  const maps = 48;
  const filters = startingConvolution({ maps, width: 5, height: 3 });
  createRandom(seed, "filters").normalFill(filters.weights);
  const x = { ...randomField({ width: 24, height: 22 }, maps), count: 1 };
  const batch = batchOf([0, 1, 2].map((k) => randomField({ width: 17, height: 12 }, maps, `${k}`)));

  const results = async (runner: TaskRunner) => {
    const whole = await convolved(runner, filters, x, "joined");
    const inside = await convolved(runner, filters, batch, "within");
    const ofWhole = await convolutionGradients(runner, filters, x, whole.values, "joined");
    const { values } = inside;
    const ofInside = await convolutionGradients(runner, filters, batch, values, "within");
    return [whole.values, values, ofWhole.weights, ofWhole.x, ofInside.weights, ofInside.x];
  };

  test.each([1, 2, 3])("with %i workers", async (workers) => {
    const { kernels } = simdRunner;
    // It does every run in one task.
    const whole = await results({ kernels, size: 0, run: failing, close: failing });
    let tasks = 0;
    const pool = await WorkerPool.open(kernels, workers, () =>
      startFakeWorker(jobs, () => tasks++),
    );
    const found = await results(pool);
    await pool.close();
    expect(tasks).toBeGreaterThan(10);
    found.forEach((values, k) => {
      expectSameBits(values ?? [], whole[k] ?? []);
    });
  });
});

function failing(): never {
  throw new Error("a single task needs no worker");
}
