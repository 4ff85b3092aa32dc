/** What `gaussianize denoise --json` prints: always the same keys, null where nothing was asked for or nothing is known. */
import type { PictureQuality } from "../../src/index.js";
import type { DenoisedPicture } from "./one-picture.js";
import type { DenoiseOptions } from "./options.js";
import { type Means, meansOf } from "./quality.js";

/** A picture, and how long it took. */
export type Result = DenoisedPicture & { readonly seconds: number };

export interface Failure {
  readonly path: string;
  readonly reason: string;
}

export interface Outcome {
  readonly results: readonly Result[];
  readonly failures: readonly Failure[];
  readonly warnings: readonly string[];
}

export function jsonOf(options: DenoiseOptions, { results, failures, warnings }: Outcome): string {
  const { method, rounds = null, stride = null, model = null, seed } = options;
  const { self = false, selfSteps = null, addNoise = null } = options;
  const means = meansOf(results);
  const all = {
    ...{ method, rounds, stride, model, self, selfSteps, addNoise, seed },
    images: results.map(imageOf),
    mean: means ? meanOf(means) : null,
    ...{ failed: failures, warnings },
  };
  return JSON.stringify(all, null, 2);
}

function imageOf(result: Result): Record<string, unknown> {
  const { path, output = null, comparison = null, reference = null, ...others } = result;
  const { noisy = null, psnr = null, ssim = null, notKept, seconds, ...known } = others;
  return {
    ...{ path, output, comparison, reference },
    ...known,
    ...{ noisy, psnr, ssim, notKept, seconds },
  };
}

function meanOf({ noisy, denoised }: Means): PictureQuality & { readonly noisy: PictureQuality } {
  return { ...denoised, noisy };
}
