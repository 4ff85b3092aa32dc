/** What `gaussianize denoise` prints for people. */
import type { PictureQuality } from "../../src/index.js";
import { oneLine, short } from "../text.js";
import type { DenoisedPicture } from "./one-picture.js";

/** scan.png → clean.png, σ = 24.9 (6400 in the units of the file, estimated), 20.17 → 28.39 dB, SSIM 0.412 → 0.823, 12.1 s */
export function pictureText(picture: DenoisedPicture & { readonly seconds: number }): string {
  const { path, output, isUnchanged, noisy, psnr, ssim, seconds } = picture;
  const files = [path, output].flatMap((file) => (file === undefined ? [] : [oneLine(file)]));
  const parts = [files.join(" → "), noiseText(picture)];
  if (isUnchanged) parts.push("too little noise to be told from the picture: copied as it is");
  if (noisy && psnr !== undefined && ssim !== undefined) {
    parts.push(qualityText(noisy, { psnr, ssim }));
  }
  return [...parts, `${seconds.toFixed(1)} s`].join(", ");
}

/** Grey levels of 255 need no unit; the file's own are told where they are others. */
function noiseText({ sigma, sigmaInFile, bitDepth, isEstimated }: DenoisedPicture): string {
  const notes = [
    ...(bitDepth === 8 ? [] : [`${short(sigmaInFile)} in the units of the file`]),
    ...(isEstimated ? ["estimated"] : []),
  ];
  return `σ = ${short(sigma)}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}`;
}

export function meanText(count: number, noisy: PictureQuality, denoised: PictureQuality): string {
  return `mean of ${count} pictures: ${qualityText(noisy, denoised)}`;
}

function qualityText(noisy: PictureQuality, { psnr, ssim }: PictureQuality): string {
  const decibels = [noisy.psnr, psnr].map(decibelText).join(" → ");
  const similarity = [noisy.ssim, ssim].map((value) => value.toFixed(4)).join(" → ");
  return `${decibels} dB, SSIM ${similarity}`;
}

/** A picture that is the reference itself has no error. */
export function decibelText(psnr: number): string {
  return psnr === Infinity ? "∞" : psnr.toFixed(2);
}
