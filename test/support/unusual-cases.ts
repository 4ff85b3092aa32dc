import { expect } from "vitest";
import { packagePriors } from "../../node/denoising-priors.js";
import { denoisePicture } from "../../src/denoising/denoise-picture.js";
import type { DenoiserSettings } from "../../src/denoising/picture-denoiser.js";
import { psnrInDecibels } from "../../src/evaluation/picture-quality.js";
import { withWhiteNoise } from "../../src/preprocessing/white-noise.js";
import { createRandom } from "../../src/random/random-stream.js";
import { simdRunner } from "./inline-runners.js";
import { seed } from "./seed.js";
import { unusualPicture } from "./unusual-pictures.js";

/** Loss against Gaussian scale mixtures that is accepted, in decibels. */
const mostLoss = 0.3;

/**
 * Expects the default to improve a noisy picture, and to be about as good as Gaussian scale
 * mixtures or better, with a given and with an estimated noise level (in grey levels).
 */
export async function expectUsefulDefault(
  name: string,
  level: number,
  side: number,
): Promise<void> {
  const clean = unusualPicture(name, side, seed);
  const random = createRandom(seed, "noise of unusual pictures", name, level);
  const pixels = withWhiteNoise(clean.pixels, level / 255, random);
  const psnrOf = (values: Float32Array) => psnrInDecibels({ ...clean, pixels: values }, clean);
  const psnr = async (settings: DenoiserSettings & { readonly sigma?: number }) => {
    const picture = { width: side, height: side, channels: [pixels] };
    const { channels } = await denoisePicture(simdRunner, packagePriors(), picture, settings);
    return psnrOf(channels[0]);
  };
  for (const sigma of [{ sigma: level / 255 }, {}]) {
    const [usual, mixtures] = [await psnr(sigma), await psnr({ ...sigma, method: "gsm" })];
    expect(usual).toBeGreaterThan(psnrOf(pixels));
    expect(usual).toBeGreaterThan(mixtures - mostLoss);
  }
}
