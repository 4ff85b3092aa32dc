/** What `gaussianize denoise` prints for people. */
import type { DenoisingStage, DenoisingWarning } from "../../src/denoising/picture-denoiser.js";
import type { PictureQuality } from "../../src/evaluation/picture-quality.js";
import { significant, thousands } from "../../src/numbers/format-number.js";
import { oneLine } from "../text.js";
import { type DenoisedPicture, decibelText } from "./one-picture.js";

/**
 * scan.png → clean.png, σ = 24.9 (6400 in the units of the file, estimated), 20.17 → 28.39 dB, SSIM
 * 0.412 → 0.823, 12.1 s
 */
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
    ...(bitDepth === 8 ? [] : [`${significant(sigmaInFile)} in the units of the file`]),
    ...(isEstimated ? ["estimated"] : []),
  ];
  return `σ = ${significant(sigma)}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}`;
}

export function meanText(count: number, noisy: PictureQuality, denoised: PictureQuality): string {
  return `mean of ${count} pictures: ${qualityText(noisy, denoised)}`;
}

function qualityText(noisy: PictureQuality, { psnr, ssim }: PictureQuality): string {
  const decibels = [noisy.psnr, psnr].map(decibelText).join(" → ");
  const similarity = [noisy.ssim, ssim].map((value) => value.toFixed(4)).join(" → ");
  return `${decibels} dB, SSIM ${similarity}`;
}

/** channel 2 of 3, round 1 of 3, 12,345 of 154,401 pixels */
export function stageText(stage: DenoisingStage): string {
  const { channel, channels, work, done, total } = stage;
  const place = channels === 1 ? "" : `channel ${channel} of ${channels}, `;
  if (work === "fit") return `${place}fitting, step ${done} of ${total}`;
  return `${place}${roundText(stage)}${thousands(done)} of ${thousands(total)} pixels`;
}

function roundText({ firstRound, lastRound, rounds }: DenoisingStage): string {
  if (rounds === 1) return "";
  return firstRound === lastRound
    ? `round ${firstRound} of ${rounds}, `
    : `rounds ${firstRound} to ${lastRound}, `;
}

interface Named {
  readonly source: string;
  /** The file of one's own model. */
  readonly model?: string | undefined;
}

/** The cause, for which one warning is enough, and the sentence. */
export function warningText(
  warning: DenoisingWarning,
  { source, model }: Named,
): readonly [cause: string, sentence: string] {
  const advice = "if you know it, give --sigma";
  switch (warning.kind) {
    case "few pixels": {
      const what = `${warning.width}×${warning.height} pixels are few to estimate its noise from`;
      return [warning.kind, `${source}: ${what}; ${advice}.`];
    }
    case "clipped": {
      const what = `${Math.floor(100 * warning.share)} % of its pixels are clipped to black or white, so that its noise may be estimated too low`;
      return [warning.kind, `${source}: ${what}; ${advice}.`];
    }
    case "texture": {
      const what =
        "nothing in it looks like white noise (it is full of texture, or its noise was smoothed), so that the estimate may be far off";
      return [warning.kind, `${source}: ${what}; ${advice}.`];
    }
    case "jpeg": {
      const what =
        "JPEG has changed its noise, so that the estimate is rough, and too high where there is much texture";
      return [warning.kind, `${source}: ${what}; ${advice}.`];
    }
    case "stride": {
      const { apart, stride, size } = warning;
      const what =
        apart === "shifts"
          ? `Shifts of the grid of ${size}×${size} blocks`
          : `Patches of ${size}×${size} pixels`;
      const sentence = `${what} must not be farther apart than ${size}: --stride ${stride} is taken for ${size}.`;
      return [warning.kind, sentence];
    }
    case "linear light": {
      const what = "was fitted to linear light; pictures are denoised as they are stored.";
      return [warning.kind, `${model ?? "The prior"} ${what}`];
    }
    case "far noise": {
      const { known, level } = warning;
      const sentence = `${model ?? "The nearest prior"} was fitted to noise of σ = ${significant(known)}, far from ${significant(level)} in a channel of the picture: a model of such noise (fit --noise-level) would do better.`;
      return [`far from ${known}`, sentence];
    }
  }
}
