/** How near pictures are to others, on average. */
import { GaussianizeError, type PictureQuality } from "../../src/index.js";
import type { Picture } from "../../node/index.js";

export interface Means {
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
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  return { psnr: mean(all.map(({ psnr }) => psnr)), ssim: mean(all.map((each) => each.ssim)) };
}

export function requireSameShape(picture: Picture, reference: Picture): void {
  const [found, wanted] = [reference, picture].map(
    ({ width, height, channels }) =>
      `${width}×${height} pixels, ${channels.length === 1 ? "grey" : "colour"}`,
  );
  if (found === wanted) return;
  throw new GaussianizeError(
    `Expected the reference ${reference.source} to have ${wanted}, as ${picture.source}, but received ${found}.`,
  );
}
