import { describe, expect, test } from "vitest";
import { densityOf } from "../../src/density/density-of.js";
import { denoiseImage } from "../../src/denoising/denoise-image.js";
import { fitToNoisyImage } from "../../src/denoising/fit-to-image.js";
import { psnrInDecibels } from "../../src/evaluation/picture-quality.js";
import { readPatchModel } from "../../node/model-files.js";
import { nearestPrior } from "../../node/denoising-priors.js";
import { stagesOf } from "../../src/transforms/cascade.js";
import { expectError } from "../support/expect-error.js";
import { simdRunner } from "../support/inline-runners.js";
import { noisyScene } from "../support/scenes.js";

const prior = await readPatchModel((await nearestPrior(25)).path);
const sigma = prior.about.preprocessing!.noiseLevel!;
const { clean, noisy } = noisyScene(160, 128, sigma);
const few = { sigma, steps: 50, crops: 64, learningRate: 0.004 };

describe("fitToNoisyImage", () => {
  test("denoises better than the model it started from, without a clean image", async () => {
    const own = await fitToNoisyImage(simdRunner, prior, noisy, few);
    const [general, special] = await Promise.all(
      [prior, own].map(async (model) =>
        psnrInDecibels(
          await denoiseImage(densityOf(model, simdRunner), noisy, { sigma, stride: 2 }),
          clean,
        ),
      ),
    );
    expect(special).toBeGreaterThan(general + 0.03);
  });

  test("accepts an image smaller than a crop", async () => {
    const { pixels } = noisy;
    const small = { width: 9, height: 3, pixels: pixels.slice(0, 27) };
    const own = await fitToNoisyImage(simdRunner, prior, small, { ...few, steps: 1 });
    expect(own.transform.dimension).toBe(64);
  });

  test("keeps preprocessing and the description of the model", async () => {
    const own = await fitToNoisyImage(simdRunner, prior, noisy, { ...few, steps: 2 });
    expect(own.about).toEqual(prior.about);
    expect(stagesOf(own.transform)[0]).toEqual(stagesOf(prior.transform)[0]);
    expect(stagesOf(own.transform)[1]).not.toEqual(stagesOf(prior.transform)[1]);
  });

  test("gives the same bits only for the same seed", async () => {
    const options = { ...few, steps: 3 };
    const [a, b, c] = await Promise.all(
      [1, 1, 2].map((own) => fitToNoisyImage(simdRunner, prior, noisy, { ...options, seed: own })),
    );
    expect(b.transform).toEqual(a.transform);
    expect(c.transform).not.toEqual(a.transform);
  });

  test("fits at the contrast of the model: half the contrast with half the noise is the same", async () => {
    const { pixels } = noisy;
    const mean = pixels.reduce((sum, value) => sum + value, 0) / pixels.length;
    const half = { ...noisy, pixels: pixels.map((value) => mean + (value - mean) / 2) };
    const filtersOf = async (image: typeof noisy, level: number): Promise<number[]> => {
      const options = { ...few, steps: 10, sigma: level };
      const { transform } = await fitToNoisyImage(simdRunner, prior, image, options);
      const stage = stagesOf(transform)[1];
      return stage.kind === "gdn" && stage.H ? [...stage.H] : [];
    };
    const [whole, same, other] = await Promise.all([
      filtersOf(noisy, sigma),
      filtersOf(half, sigma / 2),
      filtersOf(half, sigma),
    ]);
    const distance = (a: number[]): number => Math.hypot(...a.map((value, k) => value - whole[k]));
    expect(distance(same)).toBeLessThan(0.02 * distance(other));
  });

  test("rejects invalid options", async () => {
    for (const [argument, options] of [
      ["sigma", { sigma: 0 }],
      ["crops", { crops: 0 }],
      ["the options", { stepz: 1 }],
    ] as const) {
      const fit = fitToNoisyImage(simdRunner, prior, noisy, { ...few, ...options });
      await expectError(fit, { code: "invalid-argument", argument });
    }
  });
});
