/** What the demo prints. */
import { measured } from "../../src/numbers/format-number.js";
import { wrapped } from "../text.js";
import { type DemoDenoising, sigma } from "./denoising.js";
import type { DemoFit } from "./fits.js";

export const tableHead = [
  "model   ΔJ                log-likelihood     code length     fit",
  "        nats per pixel    nats per patch     bits per pixel  seconds",
  "",
].join("\n");

export function tableLine({ title, evaluation, seconds, about }: DemoFit): string {
  const { standardErrors: errors, codeLengthInBitsPerPixel: codeLength } = evaluation;
  const difference = measured(
    evaluation.negentropyDifferencePerDimension,
    errors.negentropyDifferencePerDimension,
  );
  const likelihood = measured(evaluation.meanLogLikelihood, errors.meanLogLikelihood);
  const cells = [
    title.padEnd(8),
    difference.padEnd(18),
    likelihood.padEnd(19),
    (codeLength ?? NaN).toFixed(3).padEnd(16),
    `${seconds.toFixed(1).padStart(5)}  `,
    about,
  ];
  return `${cells.join("")}\n`;
}

/** One sentence of what the table says, whichever way it came out. */
export function meaningOf(fits: readonly DemoFit[]): string {
  const ranked = [...fits].sort(
    (a, b) =>
      a.evaluation.negentropyDifferencePerDimension - b.evaluation.negentropyDifferencePerDimension,
  );
  const [best] = ranked;
  const names = ranked.map(({ title }) => title).join(", then ");
  const sentence = `ΔJ is the change of negentropy (paper eq. 4) on a photograph that no model has seen: the lower, the more Gaussian it made the patches, and the better the density. Most Gaussian: ${names}.`;
  return `${wrapped(best === fits[fits.length - 1] ? `${sentence} Filters that normalize each other describe photographs best.` : sentence, "")}\n`;
}

export function denoisingLine({ psnrNoisy, psnrDenoised }: DemoDenoising): string {
  const level = Math.round(255 * sigma);
  return `Denoising that photograph (σ = ${level}/255) with a GDN of noisy patches: ${psnrNoisy.toFixed(2)} dB → ${psnrDenoised.toFixed(2)} dB\n`;
}
