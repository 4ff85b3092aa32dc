/** Wavelets, colours, code widths, denoising, and a model of whole images. */
import type { GreyImage } from "../../../src/images/grey-image.js";
import type { TaskRunner } from "../../../src/parallel/job.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { convolution } from "../../../src/transforms/convolution.js";
import { gdn } from "../../../src/transforms/gdn.js";
import { imageCascade } from "../../../src/transforms/image-cascade.js";
import { decorrelateColours, noiseLevels } from "../../../src/images/colour-decorrelation.js";
import { deadLeaves } from "../../../src/images/dead-leaves.js";
import { codeWidths, dequantize } from "../../../src/preprocessing/dequantize.js";
import { joinWavelets, splitIntoWavelets } from "../../../src/wavelets/orthonormal-wavelet.js";
import { gaussianizeImage } from "../../../src/density/images/image-density.js";
import { imageScore } from "../../../src/density/images/image-score.js";
import { sampleImage } from "../../../src/density/images/image-synthesis.js";
import { denoisePicture } from "../../../src/denoising/denoise-picture.js";
import { estimateNoise } from "../../../src/denoising/noise-level.js";
import type { PriorShelf } from "../../../src/denoising/prior-shelf.js";
import { pictureQuality } from "../../../src/evaluation/picture-quality.js";
import { withWhiteNoise } from "../../../src/preprocessing/white-noise.js";
import type { Values } from "./digest.js";

export function wavelets(seed: string): Values {
  const bands = splitIntoWavelets(sceneOf(seed, 24), { scales: 2 });
  return { bands, "joined again": joinWavelets(bands).pixels };
}

export function colours(seed: string): Values {
  const { pixels } = sceneOf(seed, 16);
  const channels = [pixels, pixels.map((value) => value * value), pixels.map(Math.sqrt)];
  return {
    "noise levels": noiseLevels([0.1, 0.05, 0.03]),
    decorrelated: decorrelateColours(channels),
  };
}

export function codes(seed: string): Values {
  const levels = Float32Array.from({ length: 256 }, (_, code) => code / 255);
  const even = { levels: 256, spacing: "even" as const };
  const values = dequantize({ ...even, pixels: levels }, createRandom(seed, "codes"));
  return {
    values,
    "widths, even": codeWidths(values, even),
    "widths, sRGB": codeWidths(values, { levels: 256, spacing: "srgb" }),
  };
}

/** Results of a model whose filters reach into the neighbouring block. */
export async function wholeImages(runner: TaskRunner, seed: string): Promise<Values> {
  const maps = 4;
  const random = createRandom(seed, "cascade of images");
  const draw = (length: number): Float32Array => random.uniformFill(new Float32Array(length));
  const weights = draw(4 * maps * maps).map(
    (value, k) => 0.2 * (value - 0.5) + (k < maps * maps && k % (maps + 1) === 0 ? 1 : 0),
  );
  const taps = { width: 2, height: 2, left: 0, top: 0 };
  const pool = gdn({
    structure: "column",
    dimension: maps,
    H: null,
    alpha: draw(maps).map((value) => 1 + value),
    beta: draw(maps).map((v) => 0.5 + v),
    gamma: draw(maps * maps).map((value) => value / maps),
    epsilon: draw(maps).map(() => 0.4),
  });
  const model = imageCascade({ stride: 2, stages: [convolution({ maps, taps, weights }), pool] });
  const image = sceneOf(seed, 12);
  const { y, logDeterminant } = await gaussianizeImage(runner, model, image);
  return {
    y: y.values,
    logDeterminant: [logDeterminant],
    score: await imageScore(runner, model, image),
    sample: (await sampleImage(runner, model, { width: 8, height: 8, seed })).pixels,
  };
}

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

export function sceneOf(seed: string, size: number): GreyImage {
  return deadLeaves(createRandom(seed, "scene of results", size), { width: size, height: size });
}
