/** Noise, estimates of it, pictures without it, and how good they are. */
import type { TaskRunner } from "../../../src/parallel/job.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { denoisePicture } from "../../../src/denoising/denoise-picture.js";
import { estimateNoise } from "../../../src/denoising/noise-level.js";
import type { PriorShelf } from "../../../src/denoising/prior-shelf.js";
import { pictureQuality } from "../../../src/evaluation/picture-quality.js";
import { withWhiteNoise } from "../../../src/preprocessing/white-noise.js";
import type { Values } from "./digest.js";
import { sceneOf } from "./images.js";

const sigma = 25 / 255;

export async function denoising(
  runner: TaskRunner,
  shelf: PriorShelf,
  seed: string,
): Promise<Values> {
  const clean = sceneOf(seed, 24);
  const noisy = { ...clean, pixels: withWhiteNoise(clean.pixels, sigma, createRandom(seed, "n")) };
  const { width, height } = clean;
  const picture = { width, height, channels: [noisy.pixels] };
  const found: Values = { "estimated noise": estimateNoise(noisy) };
  for (const method of ["gdn", "gsm", "marginal", "wiener"] as const) {
    const rounds = method === "gdn" ? { rounds: 2, stride: 4 } : {};
    const outcome = await denoisePicture(runner, shelf, picture, { method, sigma, ...rounds });
    found[method] = outcome.channels;
    found[`quality of ${method}`] = pictureQuality(outcome, {
      ...picture,
      channels: [clean.pixels],
    });
  }
  return found;
}
