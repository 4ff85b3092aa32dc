/** The output of `gaussianize denoise`: sentences and JSON. */
import type { DenoisingStage, DenoisingWarning } from "../../src/denoising/picture-denoiser.js";
import type { PictureQuality } from "../../src/evaluation/picture-quality.js";
import { fixed, significant, thousands } from "../../src/numbers/format-number.js";
import { meanOf } from "../../src/numbers/means.js";
import { oneLine } from "../text.js";
import { type DenoisedFile, decibelText } from "./one-file.js";
import { type DenoiseOptions, presetOf } from "./options.js";

/** A picture, and the seconds that it took. */
export type Result = DenoisedFile & { readonly seconds: number };

export interface Outcome {
  readonly results: readonly Result[];
  readonly failures: readonly { readonly path: string; readonly reason: string }[];
  readonly warnings: readonly string[];
}

/**
 * Returns a line like this one, but unbroken:
 *
 *   scan.png → clean.png, σ = 24.9 (6400 in the units of the file, estimated),
 *   20.17 → 28.39 dB, SSIM 0.412 → 0.823, 12.1 s
 */
export function pictureText(picture: Result): string {
  const { path, output, isUnchanged, noisy, psnr, ssim, seconds } = picture;
  const files = [path, output].flatMap((file) => (file === undefined ? [] : [oneLine(file)]));
  const parts = [files.join(" → "), noiseText(picture), ...kindText(picture)];
  if (isUnchanged) parts.push("too little noise to remove: copied unchanged");
  if (noisy && psnr !== undefined && ssim !== undefined) {
    parts.push(qualityText(noisy, { psnr, ssim }));
  }
  return [...parts, `${seconds.toFixed(1)} s`].join(", ");
}

/** Names the noise level in grey levels of 255, and in the units of the file where these differ. */
function noiseText({ sigma, sigmaInFile, bitDepth, isEstimated }: DenoisedFile): string {
  const notes = [
    ...(bitDepth === 8 ? [] : [`${significant(sigmaInFile)} in the units of the file`]),
    ...(isEstimated ? ["estimated"] : []),
  ];
  return `σ = ${significant(sigma)}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}`;
}

/** Describes noise that is not white in a phrase; empty for white noise. */
function kindText({ noise }: DenoisedFile): readonly string[] {
  if (noise.kind === "white") return [];
  if (noise.kind === "coloured") {
    const [across, down] = [noise.across, noise.down].map((value) => fixed(value, 2));
    return [`coloured noise (correlation of neighbours ${across} across, ${down} down)`];
  }
  const [black, white] = [noise.atBlack, noise.atWhite].map((value) => significant(value));
  return [`noise that depends on brightness (σ = ${black} at black, ${white} at white)`];
}

/** Returns the means of several pictures; empty if there are none to compare. */
export function meanText(results: readonly Result[]): string {
  const means = meansOf(results);
  if (!means || results.length < 2) return "";
  return `mean of ${results.length} pictures: ${qualityText(means.noisy, means.denoised)}`;
}

function qualityText(noisy: PictureQuality, { psnr, ssim }: PictureQuality): string {
  const decibels = [noisy.psnr, psnr].map(decibelText).join(" → ");
  const similarity = [noisy.ssim, ssim].map((value) => value.toFixed(4)).join(" → ");
  return `${decibels} dB, SSIM ${similarity}`;
}

/** Returns "channel 2 of 3, round 1 of 3, 12,345 of 154,401 pixels". */
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
  /** File of --model. */
  readonly model?: string | undefined;
}

/** Returns a warning and its cause, for which one warning is enough. */
export function warningText(
  warning: DenoisingWarning,
  { source, model }: Named,
): readonly [cause: string, sentence: string] {
  const doubt = (what: string) =>
    [warning.kind, `${source}: ${what}; if you know it, give --sigma.`] as const;
  switch (warning.kind) {
    case "few pixels":
      return doubt(`${warning.width}×${warning.height} pixels are few to estimate the noise from`);
    case "clipped":
      return doubt(
        `${Math.floor(100 * warning.share)} % of the pixels are clipped to black or white, so the estimated noise level may be too low`,
      );
    case "texture":
      return doubt(
        "nothing in it looks like white noise (texture is everywhere, or the noise was smoothed), so the estimated noise level may be far off",
      );
    case "jpeg":
      return doubt(
        "JPEG has changed the noise, so the estimated noise level is rough, and too high where there is much texture",
      );
    case "stride": {
      const { apart, stride, size } = warning;
      const what =
        apart === "shifts"
          ? `Shifts of the grid of ${size}×${size} blocks`
          : `Patches of ${size}×${size} pixels`;
      const sentence = `${what} must be at most ${size} pixels apart: using --stride ${size} instead of ${stride}.`;
      return [warning.kind, sentence];
    }
    case "linear light": {
      const what = "was fitted to linear light, but pictures are denoised as they are stored.";
      return [warning.kind, `${model ?? "The prior"} ${what}`];
    }
    case "far noise": {
      const { known, level } = warning;
      const sentence = `${model ?? "The nearest prior"} was fitted to noise of σ = ${significant(known)}, far from the σ = ${significant(level)} in the brightness of the picture: a model fitted with --noise-level ${significant(level)} would do better.`;
      return [`far from ${known}`, sentence];
    }
  }
}

/** Returns the output of --json: always the same keys, null for anything not asked or not known. */
export function jsonOf(options: DenoiseOptions, { results, failures, warnings }: Outcome): string {
  const { method, rounds = null, stride = null, model = null, seed } = options;
  const { self = false, selfSteps = null, addNoise = null } = options;
  const means = meansOf(results);
  const all = {
    method,
    preset: presetOf(options),
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

type MeasuredPicture = Pick<Result, "noisy" | "psnr" | "ssim">;

/** Returns mean qualities of the pictures with a clean reference; undefined if there are none. */
function meansOf(pictures: readonly MeasuredPicture[]) {
  const measured = pictures.flatMap(({ noisy, psnr, ssim }) =>
    noisy && psnr !== undefined && ssim !== undefined ? [{ noisy, denoised: { psnr, ssim } }] : [],
  );
  if (measured.length === 0) return undefined;
  return {
    noisy: meanQuality(measured.map(({ noisy }) => noisy)),
    denoised: meanQuality(measured.map(({ denoised }) => denoised)),
  };
}

function meanQuality(all: readonly PictureQuality[]): PictureQuality {
  return {
    psnr: meanOf(all.map(({ psnr }) => psnr)),
    ssim: meanOf(all.map(({ ssim }) => ssim)),
  };
}
