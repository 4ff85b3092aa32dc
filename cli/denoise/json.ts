/**
 * What `gaussianize denoise --json` prints: always the same keys, null where nothing was asked for
 * or nothing is known.
 */
import type { PictureQuality } from "../../src/evaluation/picture-quality.js";
import { meanOf } from "../../src/numbers/means.js";
import type { DenoisedPicture } from "./one-picture.js";
import type { DenoiseOptions } from "./options.js";

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
    method,
    rounds,
    stride,
    model,
    self,
    selfSteps,
    addNoise,
    seed,
    images: results.map(imageOf),
    mean: means ? { ...means.denoised, noisy: means.noisy } : null,
    failed: failures,
    warnings,
  };
  return JSON.stringify(all, null, 2);
}

function imageOf(result: Result): Record<string, unknown> {
  const { path, output = null, comparison = null, reference = null, ...others } = result;
  const { noisy = null, psnr = null, ssim = null, notKept, seconds, ...known } = others;
  return {
    path,
    output,
    comparison,
    reference,
    ...known,
    noisy,
    psnr,
    ssim,
    notKept,
    seconds,
  };
}

interface Means {
  readonly noisy: PictureQuality;
  readonly denoised: PictureQuality;
}

/** Of all pictures whose clean one is known; undefined where there is none. */
export function meansOf(pictures: readonly MeasuredPicture[]): Means | undefined {
  const measured = pictures.flatMap(({ noisy, psnr, ssim }) =>
    noisy && psnr !== undefined && ssim !== undefined ? [{ noisy, denoised: { psnr, ssim } }] : [],
  );
  if (measured.length === 0) return undefined;
  return {
    noisy: meanQuality(measured.map(({ noisy }) => noisy)),
    denoised: meanQuality(measured.map(({ denoised }) => denoised)),
  };
}

interface MeasuredPicture {
  /** Before, where it is known. */
  readonly noisy?: PictureQuality;
  readonly psnr?: number;
  readonly ssim?: number;
}

function meanQuality(all: readonly PictureQuality[]): PictureQuality {
  return {
    psnr: meanOf(all.map(({ psnr }) => psnr)),
    ssim: meanOf(all.map(({ ssim }) => ssim)),
  };
}
