/**
 * Short fits to real photographs: far from the figures of docs/results.md, and yet further than
 * anything but a sound fit gets.
 */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openRunner } from "gaussianize/node";
import { findImages } from "../../node/find-images.js";
import { openImageSet } from "../../node/image-set.js";
import { densityOf } from "../../src/density/density-of.js";
import { evaluate } from "../../src/evaluation/evaluate.js";
import { type ImageReading, protocolOf } from "../../src/patches/image-reading.js";
import { type ModelFitOptions, fitModel } from "../../src/training/fit-model.js";
import { hasSharedData, sharedPath } from "../support/shared-data.js";

async function fitAndEvaluate(
  folders: { readonly training: string; readonly test: string },
  reading: ImageReading,
  options: Pick<ModelFitOptions, "model" | "steps" | "heldOut">,
) {
  const open = async (folder: string) =>
    openImageSet(await findImages([join(sharedPath, "data", folder)]), reading);
  const [training, test] = [await open(folders.training), await open(folders.test)];
  const runner = await openRunner({ callerWorks: true });
  try {
    const { model } = await fitModel(runner, {
      images: training.images.length,
      load: training.load,
      reading,
      ...options,
    });
    const { images, load } = test;
    return await evaluate(densityOf(model, runner), { images, load }, { patches: 20_000 });
  } finally {
    await runner.close();
  }
}

describe.skipIf(!hasSharedData)("fits to BSDS300 by the 63-dimensional protocol", () => {
  const folders = { training: "bsds300/train", test: "bsds300/test" };

  // The paper has 126.8 and 151.5; Gaussian patches would have 109. (Seeds and held-out images move
  // the second by half a nat.)
  test.each([
    { model: "ica-mg", steps: 1000, least: 126 },
    { model: "gdn", steps: 300, least: 149 },
  ] as const)("$model passes $least nats after $steps steps", async ({ model, steps, least }) => {
    const { meanLogLikelihood } = await fitAndEvaluate(folders, protocolOf("bsds63"), {
      model,
      steps,
    });
    expect(meanLogLikelihood).toBeGreaterThan(least);
  });
});

describe.skipIf(!hasSharedData)("fits to Kodak in linear light, without noise", () => {
  test("of RG to 8×8 patches pass ΔJ = −1.8 nats per pixel after 100 steps", async () => {
    const reading = {
      luminance: "linear",
      dequantize: false,
      layout: { size: 8, removeMean: false },
    } as const;
    const folders = { training: "kodak", test: "kodak" };
    const { negentropyDifferencePerDimension } = await fitAndEvaluate(folders, reading, {
      model: "rg",
      steps: 100,
      heldOut: 0,
    });
    expect(negentropyDifferencePerDimension).toBeLessThan(-1.8);
  });
});
