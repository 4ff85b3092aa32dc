/** Texts about a picture being denoised. */
import type { DenoisingStage, DenoisingWarning } from "../../../src/denoising/picture-denoiser.js";
import { fixed } from "../../../src/numbers/format-number.js";
import type { Way } from "./settings.js";

/** Denoising: brightness (1 of 3), round 1 of 3 */
export function stageText(stage: DenoisingStage): string {
  const { channel, channels, firstRound, lastRound, rounds } = stage;
  const places = ["brightness", "red against blue", "green against magenta"];
  const place = channels === 1 ? "" : `: ${places[channel - 1]} (${channel} of ${channels})`;
  if (rounds === 1) return `Denoising${place}`;
  const round =
    firstRound === lastRound
      ? `round ${firstRound} of ${rounds}`
      : `rounds ${firstRound} to ${lastRound}`;
  return `Denoising${place}, ${round}`;
}

/** Both are names of files. */
export function preparingText(reading: string | null, preparing: string | null): string {
  return reading === null ? `Preparing ${preparing ?? ""} …` : `Loading ${reading} …`;
}

const advice = "If you know σ, enter it.";

export function warningText(warning: DenoisingWarning): string {
  switch (warning.kind) {
    case "few pixels":
      return `${warning.width}×${warning.height} pixels are too few for a good estimate of the noise. ${advice}`;
    case "clipped":
      return `${Math.floor(100 * warning.share)} % of the pixels are clipped to black or white, so the estimate of σ may be too low. ${advice}`;
    case "texture":
      return `Nothing in this picture looks like white noise: it is full of texture, or its noise was smoothed. The estimate of σ may be far off. ${advice}`;
    case "jpeg":
      return `JPEG compression has changed the noise. The estimate of σ is rough, and too high in pictures with much texture. ${advice}`;
    case "far noise":
      return `The nearest density was fitted to noise of σ = ${warning.known}, far from ${fixed(warning.level, 1)} in the brightness of this picture. A density fitted to that noise level would do better.`;
    case "stride":
    case "linear light":
      return "The density does not suit the picture.";
  }
}

const wayWords: Readonly<Record<Way, string>> = {
  "gdn-3": "gdn",
  "gdn-1": "gdn-one-round",
  gsm: "gsm",
  marginal: "marginal",
};

/** boats.png → boats-denoised-gdn-sigma25.png, with the σ used. */
export function downloadName(file: string, way: Way, sigma: number): string {
  const name = file.replace(/\.[^.]+$/, "");
  return `${name}-denoised-${wayWords[way]}-sigma${Number(sigma.toFixed(1))}.png`;
}

/** Formats a PSNR, which is infinite for two equal pictures. */
export function decibelText(psnr: number): string {
  return psnr === Infinity ? "∞" : fixed(psnr, 2);
}
