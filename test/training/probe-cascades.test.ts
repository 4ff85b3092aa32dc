/** Fits of image cascades whose first steps estimate gradients with random signs. */
import { openRunner } from "gaussianize/node";
import { describe, expect, test } from "vitest";
import type { GradientEstimate } from "../../src/training/negentropy-gradient.js";
import { type ImageModelFitOptions, fitImageModel } from "../../src/training/fit-image-model.js";
import type { FitCheckpoint } from "../../src/training/fit-transform.js";
import type { ImageCascade } from "../../src/transforms/image-cascade.js";
import { simdRunner } from "../support/inline-runners.js";
import { texturedScenes } from "../support/scenes.js";
import { seed } from "../support/seed.js";

const scenes = texturedScenes("scenes of probes", 3, { width: 64, height: 56 });
const steps = 8;
/** Large enough that every pass is divided among the workers. */
const options: ImageModelFitOptions = {
  geometry: { stride: 8, filterBlocks: 2, neighbourhood: 2, stages: 2 },
  images: scenes.length,
  load: (index) => Promise.resolve(scenes[index]),
  reading: { luminance: "grey", dequantize: true },
  preprocessing: "standardize",
  heldOut: 0,
  steps,
  batch: 128,
  gradient: "probes",
  seed,
};

const checkpoints: FitCheckpoint<ImageCascade>[] = [];
const estimates: (GradientEstimate | undefined)[] = [];
const alone = await fitImageModel(simdRunner, {
  ...options,
  checkpointEvery: 1,
  onCheckpoint: (checkpoint) => void checkpoints.push(checkpoint),
  onStep: ({ estimate }) => void estimates.push(estimate),
});

describe("a fit of a cascade with probe gradients", () => {
  test.each([1, 2, 3])("has the same bits with %i worker threads", async (workers) => {
    const runner = await openRunner({ workers, kernels: "simd" });
    try {
      const { fit } = await fitImageModel(runner, options);
      expect(fit.history).toEqual(alone.fit.history);
      expect(fit.transform).toEqual(alone.fit.transform);
    } finally {
      await runner.close();
    }
  });

  test.each([2, 5])("resumes from step %i with the same bits", async (stop) => {
    const resume = () => checkpoints.find(({ step }) => step === stop) ?? null;
    const resumed = await fitImageModel(simdRunner, { ...options, resume });
    expect(resumed.fit.transform).toEqual(alone.fit.transform);
  });

  test("estimates every step, and says so in the model", () => {
    expect(estimates).toHaveLength(steps);
    for (const estimate of estimates) expect(estimate?.residual).toBeLessThan(0.01);
    expect(alone.model.about.training?.gradient).toBe("probes");
  });

  test("differs from an exact fit, which is the default of small cascades", async () => {
    const { gradient, ...others } = options;
    expect(gradient).toBe("probes");
    const exact = await fitImageModel(simdRunner, others);
    expect(exact.model.about.training).not.toHaveProperty("gradient");
    expect(exact.fit.transform).not.toEqual(alone.fit.transform);
  });
});
