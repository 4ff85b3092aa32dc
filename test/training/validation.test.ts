import { beforeAll, describe, expect, test } from "vitest";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { logProb } from "../../src/density/induced-density.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import { createRandom } from "../../src/random/random-stream.js";
import { fitTransform } from "../../src/training/fit-transform.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { refusal } from "../support/expect-error.js";
import { seed } from "../support/seed.js";

const n = 3;
let runner: InlineRunner;
beforeAll(async () => {
  runner = new InlineRunner((await loadKernels()).kernels);
});

const normals = (scale: number, step: number, count = 64): Float32Array =>
  createRandom(seed, "samples", step)
    .normalFill(new Float32Array(count * n))
    .map((value) => scale * value);
const H = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
const start = startingGdn({ structure: "marginal", dimension: n, H });

describe("validation", () => {
  test("stops a fit that gets worse on held-out data, and returns the best", async () => {
    const x = normals(1, 999, 500);
    const seen: [number, number][] = [];
    // Fitted to ever larger samples: good for them, bad for those of variance 1.
    const fit = await fitTransform(runner, start, {
      steps: 400,
      learningRate: 0.05,
      batchAt: (step) => normals(1 + step / 10, step),
      validation: {
        x,
        every: 10,
        patience: 3,
        onValidation: (step, value) => seen.push([step, value]),
      },
    });
    const best = seen.reduce((a, b) => (b[1] > a[1] ? b : a));
    expect(fit.validated).toEqual({ step: best[0], meanLogProb: best[1] });
    expect(fit.steps).toBe(best[0] + 30);
    expect(seen[seen.length - 1][0]).toBe(fit.steps);
    const values = await logProb(runner, fit.transform, x);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(mean).toBeCloseTo(best[1], 10);
  });

  test("validates the last step, too", async () => {
    const seen: number[] = [];
    await fitTransform(runner, start, {
      steps: 25,
      batchAt: (step) => normals(1, step),
      validation: { x: normals(1, 999), every: 10, onValidation: (step) => seen.push(step) },
    });
    expect(seen).toEqual([10, 20, 25]);
  });

  test("does not change the steps of a fit", async () => {
    const options = { steps: 20, batchAt: (step: number) => normals(1, step) };
    const plain = await fitTransform(runner, start, options);
    const watched = await fitTransform(runner, start, {
      ...options,
      validation: { x: normals(1, 999), every: 7 },
    });
    expect(watched.history).toEqual(plain.history);
    expect(plain.validated).toBeNull();
  });

  test.each([
    [{ every: 0 }, refusal("validation.every", "be an integer of at least 1", 0)],
    [{ patience: 0 }, refusal("validation.patience", "be an integer of at least 1", 0)],
    [{ evry: 3 }, "evry"],
  ])("rejects %o", async (wrong, message) => {
    const fit = fitTransform(runner, start, {
      steps: 5,
      batchAt: (step) => normals(1, step),
      validation: { x: normals(1, 999), every: 2, ...wrong },
    });
    await expect(fit).rejects.toThrow(message);
  });
});
