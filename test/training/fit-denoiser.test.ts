import { beforeAll, describe, expect, test } from "vitest";
import { densityOf } from "../../src/density/density-of.js";
import { denoiseImage } from "../../src/denoising/denoise-image.js";
import type { Model } from "../../src/density/model-files/model.js";
import { psnrInDecibels } from "../../src/evaluation/picture-quality.js";
import { deadLeaves } from "../../src/images/dead-leaves.js";
import type { GreyImage } from "../../src/images/grey-image.js";
import { withWhiteNoise } from "../../src/preprocessing/white-noise.js";
import { createRandom } from "../../src/random/random-stream.js";
import { fitDenoiser } from "../../src/training/fit-denoiser.js";
import { fitModel } from "../../src/training/fit-model.js";
import type { FitCheckpoint } from "../../src/training/fit-transform.js";
import { stagesOf } from "../../src/transforms/cascade.js";
import { simdRunner as runner } from "../support/inline-runners.js";
import { seed } from "../support/seed.js";
import { expectError } from "../support/expect-error.js";

const sigma = 0.15;
const size = 4;
const leaves = { smallestRadius: 4, largestRadius: 40 };
const sceneOf = (name: string | number, side: number): GreyImage =>
  deadLeaves(createRandom(seed, "denoiser", name), { width: side, height: side, ...leaves });
const scenes = Array.from({ length: 6 }, (_, k) => sceneOf(k, 96));
const load = (index: number): Promise<GreyImage> => Promise.resolve(scenes[index]);
const noisyOf = (image: GreyImage, name: string | number): GreyImage => ({
  ...image,
  pixels: withWhiteNoise(image.pixels, sigma, createRandom(seed, "test noise", name)),
});
const common = { images: scenes.length, load, steps: 60, crops: 40, seed };

let start: Model;
beforeAll(async () => {
  ({ model: start } = await fitModel(runner, {
    model: "gdn",
    images: scenes.length,
    load: async (index) => noisyOf(await load(index), index),
    reading: {
      luminance: "grey",
      dequantize: false,
      noiseLevel: sigma,
      layout: { size, removeMean: false },
    },
    preprocessing: "standardize",
    steps: 100,
    batch: 128,
    heldOut: 0,
    seed,
  }));
});

describe("fitDenoiser", () => {
  test("leaves less noise in a picture that was not trained on", async () => {
    const { model, fit } = await fitDenoiser(runner, { ...common, start });
    expect(fit.steps).toBe(60);
    expect(stagesOf(model.transform).map(({ kind }) => kind)).toEqual(["affine", "gdn"]);
    expect(model.about.preprocessing).toMatchObject({ noiseLevel: sigma });
    expect(model.about.training).toMatchObject({ steps: 100, denoising: { steps: 60, crops: 40 } });
    const clean = sceneOf("test", 128);
    const noisy = noisyOf(clean, "test");
    const psnrOf = async (of: Model): Promise<number> =>
      psnrInDecibels(await denoiseImage(densityOf(of, runner), noisy, { sigma }), clean);
    const [before, after] = [await psnrOf(start), await psnrOf(model)];
    expect(before).toBeGreaterThan(psnrInDecibels(noisy, clean) + 3);
    expect(after).toBeGreaterThan(before + 0.1);
  });

  test("resumes after an interruption with the same bits", async () => {
    const whole = await fitDenoiser(runner, { ...common, steps: 12, start });
    const kept: FitCheckpoint[] = [];
    const onCheckpoint = (checkpoint: FitCheckpoint): void => {
      kept.push(checkpoint);
    };
    await fitDenoiser(runner, { ...common, steps: 12, start, checkpointEvery: 5, onCheckpoint });
    const resumed = await fitDenoiser(runner, { ...common, steps: 12, start, resume: kept[0] });
    expect(kept[0].step).toBe(5);
    expect(resumed.model.transform).toEqual(whole.model.transform);
  });

  test("rejects a start without a noise level", async () => {
    const about = { ...start.about, preprocessing: {} };
    const fit = fitDenoiser(runner, { ...common, start: { ...start, about } });
    await expectError(fit, {
      code: "invalid-argument",
      argument: "the start",
      phrase: "noise level",
    });
  });
});
