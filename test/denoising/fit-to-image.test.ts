import { describe, expect, it } from "vitest";
import { denoiseImage } from "../../src/denoising/empirical-bayes.js";
import { fitToNoisyImage } from "../../src/denoising/fit-to-image.js";
import { logProb } from "../../src/density/induced-density.js";
import { psnrInDecibels } from "../../src/evaluation/psnr.js";
import { readModel } from "../../node/model-files.js";
import { nearestPrior } from "../../node/denoising-priors.js";
import { randomPatches } from "../../src/patches/random-patches.js";
import { createRandom } from "../../src/random/random-stream.js";
import { stagesOf } from "../../src/transforms/cascade.js";
import { simdRunner } from "../support/inline-runners.js";
import { noisyScene } from "../support/noisy-scene.js";
import { seed } from "../support/seed.js";
import { sentenceOf } from "../support/sentence-of.js";

const prior = await readModel((await nearestPrior(25)).path);
const sigma = prior.about.preprocessing!.noiseLevel!;
const { clean, noisy } = noisyScene(96, 80, sigma);
const size = prior.about.patch!.width;
const few = { sigma, steps: 60, batch: 128, learningRate: 0.01 };

describe("fitToNoisyImage", { timeout: 60_000 }, () => {
  it("makes patches of the image likelier, and the image no worse", async () => {
    const own = await fitToNoisyImage(simdRunner, prior, noisy, few);
    const x = randomPatches(createRandom(seed, "other patches"), [noisy], size, 1000);
    const [before, after] = await Promise.all(
      [prior, own].map(async ({ transform }) => {
        const values = await logProb(simdRunner, transform, x);
        return values.reduce((sum, value) => sum + value, 0) / values.length;
      }),
    );
    expect(after).toBeGreaterThan(before + 0.3);
    const [general, special] = await Promise.all(
      [prior, own].map(async (model) =>
        psnrInDecibels(await denoiseImage(simdRunner, model, noisy, { sigma, stride: 2 }), clean),
      ),
    );
    // The prior was fitted for denoising, this fit is by likelihood: what it gains in knowing the image it may lose there.
    expect(special).toBeGreaterThan(general - 0.1);
  });

  it("keeps preprocessing and what is known of the model", async () => {
    const own = await fitToNoisyImage(simdRunner, prior, noisy, { ...few, steps: 2 });
    expect(own.about).toEqual(prior.about);
    expect(stagesOf(own.transform)[0]).toEqual(stagesOf(prior.transform)[0]);
    expect(stagesOf(own.transform)[1]).not.toEqual(stagesOf(prior.transform)[1]);
  });

  it("gives the same bits for the same seed, and others for another", async () => {
    const options = { ...few, steps: 3 };
    const [a, b, c] = await Promise.all(
      [1, 1, 2].map((own) => fitToNoisyImage(simdRunner, prior, noisy, { ...options, seed: own })),
    );
    expect(b.transform).toEqual(a.transform);
    expect(c.transform).not.toEqual(a.transform);
  });

  it("fits to the contrast that the model knows: half the contrast and half the noise are the same", async () => {
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

  it("refuses what makes no sense", async () => {
    const refused = (options: object) =>
      sentenceOf(fitToNoisyImage(simdRunner, prior, noisy, { ...few, ...options }));
    expect(await refused({ sigma: 0 })).toBe("Expected sigma to be above 0 but received 0.");
    expect(await refused({ batch: 0 })).toContain("batch");
    expect(await refused({ stepz: 1 })).toContain("stepz");
  });
});
