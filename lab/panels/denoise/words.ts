/** Sentences of the panel about a picture at work. */
import type { DenoisingStage, DenoisingWarning } from "../../../src/denoising/picture-denoiser.js";
import { fixed } from "../../../src/numbers/format-number.js";
import type { Way } from "./settings.js";

/** Denoising: brightness, round 1 of 3 */
export function stageText({
  channel,
  channels,
  firstRound,
  lastRound,
  rounds,
}: DenoisingStage): string {
  const places = ["brightness", "red against blue", "green against magenta"];
  const place = channels === 1 ? "" : `: ${places[channel - 1]} (${channel} of ${channels})`;
  if (rounds === 1) return `Denoising${place}`;
  const round =
    firstRound === lastRound
      ? `round ${firstRound} of ${rounds}`
      : `rounds ${firstRound} to ${lastRound}`;
  return `Denoising${place}, ${round}`;
}

/** Names of a file that is read, and of one that is made noisy: the first of them that there is. */
export function preparingText(reading: string | null, preparing: string | null): string {
  return reading === null ? `Preparing ${preparing ?? ""} …` : `Loading ${reading} …`;
}

/** Undefined before anybody can know. */
export function timeLeftText(seconds: number, part: number): string {
  if (part < 0.03) return "";
  return `${durationText((seconds * (1 - part)) / part)} left`;
}

export function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  return `${Math.round(seconds / 60)} min`;
}

export function warningText(warning: DenoisingWarning): string {
  switch (warning.kind) {
    case "few pixels":
      return `${warning.width}×${warning.height} pixels are few to estimate the noise from: if you know σ, give it.`;
    case "clipped":
      return `${Math.floor(100 * warning.share)} % of the pixels are clipped to black or white, so that the noise may be estimated too low: if you know σ, give it.`;
    case "texture":
      return "Nothing in the picture looks like white noise (it is full of texture, or its noise was smoothed), so that the estimate may be far off: if you know σ, give it.";
    case "jpeg":
      return "JPEG has changed the noise, so that the estimate is rough, and too high where there is much texture: if you know σ, give it.";
    case "far noise":
      return `The nearest density was fitted to noise of σ = ${warning.known}, far from ${fixed(warning.level, 1)} in a channel of the picture: one of such noise would do better.`;
    case "stride":
    case "linear light":
      return "The density does not suit the picture.";
  }
}

const wayWords: Readonly<Record<Way, string>> = {
  "gdn-3": "gdn",
  "gdn-1": "gdn-one-look",
  gsm: "gsm",
  marginal: "marginal",
};

/** boats.png → boats-denoised-gdn-sigma25.png; σ is what the method was told. */
export function downloadName(file: string, way: Way, sigma: number): string {
  const name = file.replace(/\.[^.]+$/, "");
  return `${name}-denoised-${wayWords[way]}-sigma${Number(sigma.toFixed(1))}.png`;
}

/** Formats a PSNR: a picture that is its own reference has no error. */
export function decibelText(psnr: number): string {
  return psnr === Infinity ? "∞" : fixed(psnr, 2);
}
