/** What `gaussianize denoise` prints for people. */
import { oneLine, short } from "../text.js";
import type { DenoisedPicture } from "./one-picture.js";
import type { Quality } from "./quality.js";

/** photo.png → clean.png, σ = 24.9 (estimated), 20.17 → 28.39 dB, SSIM 0.412 → 0.823, 12.1 s */
export function pictureText(picture: DenoisedPicture & { readonly seconds: number }): string {
  const { path, output, sigma, isEstimated, isUnchanged, noisy, psnr, ssim, seconds } = picture;
  const files = [path, output].flatMap((file) => (file === undefined ? [] : [oneLine(file)]));
  const level = `σ = ${short(sigma)}${isEstimated ? " (estimated)" : ""}`;
  const parts = [files.join(" → "), level];
  if (isUnchanged) parts.push("too little noise to be told from the picture: copied as it is");
  if (noisy && psnr !== undefined && ssim !== undefined) {
    parts.push(qualityText(noisy, { psnr, ssim }));
  }
  return [...parts, `${seconds.toFixed(1)} s`].join(", ");
}

export function meanText(count: number, noisy: Quality, denoised: Quality): string {
  return `mean of ${count} pictures: ${qualityText(noisy, denoised)}`;
}

function qualityText(noisy: Quality, { psnr, ssim }: Quality): string {
  const decibels = [noisy.psnr, psnr].map((value) => value.toFixed(2)).join(" → ");
  const similarity = [noisy.ssim, ssim].map((value) => value.toFixed(4)).join(" → ");
  return `${decibels} dB, SSIM ${similarity}`;
}
