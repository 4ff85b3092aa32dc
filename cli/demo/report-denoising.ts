/** The section of the demo's report with a photograph, its noise, and what became of it. */
import {
  type GreyImage,
  type ReportBlock,
  type ReportSection,
  pictureOf,
  sideBySide,
} from "../../src/index.js";
import type { EmbeddedPhotograph } from "../../node/index.js";
import { type DemoDenoising, sigma } from "./denoising.js";
import { cropped, enlarged } from "../pictures.js";
import { wide } from "./report-parts.js";

/** The cabin, with windows and ropes. */
const closeUp = { left: 150, top: 150, width: 100, height: 100 };

export function denoisingSection(
  denoising: DemoDenoising,
  { title }: EmbeddedPhotograph,
): ReportSection {
  const { steps } = denoising;
  const level = Math.round(255 * sigma);
  return {
    title: "A density takes noise away",
    blocks: [
      {
        kind: "paragraph",
        text: [
          `A GDN was fitted, in ${steps} steps, to patches of the other photographs with normal noise of σ = ${level}/255 on them. Whoever has the density of `,
          { emphasis: "noisy" },
          " patches needs no other model of images: the best estimate of a clean patch is x̂ = x̃ + σ² ∇ log p(x̃) (Miyasawa 1961; eq. 7 of the paper), here averaged over all patches that overlap in a pixel.",
        ],
      },
      picturesOf(denoising, title),
      closeUps(denoising),
    ],
  };
}

function picturesOf(
  { original, noisy, denoised, psnrNoisy, psnrDenoised }: DemoDenoising,
  title: string,
): ReportBlock {
  const shown: readonly (readonly [GreyImage, string])[] = [
    [noisy, `Noisy: ${psnrNoisy.toFixed(2)} dB.`],
    [denoised, `Denoised: ${psnrDenoised.toFixed(2)} dB.`],
    [original, `Part of “${title}”, as it is.`],
    [removed(noisy, denoised), "What was taken away: the less one sees of the boat, the better."],
  ];
  return {
    kind: "figures",
    figures: shown.map(([image, caption]) => ({ ...pictureOf(image, caption), caption })),
    caption: "Decibels are peak signal-to-noise ratios, 10 log₁₀(1 / mean squared error).",
  };
}

/** Around middle grey. */
function removed(noisy: GreyImage, denoised: GreyImage): GreyImage {
  const pixels = noisy.pixels.map((value, k) => 0.5 + value - denoised.pixels[k]);
  return { ...noisy, pixels };
}

function closeUps({ original, noisy, denoised }: DemoDenoising): ReportBlock {
  const parts = [noisy, denoised, original].map((image) => enlarged(cropped(image, closeUp), 3));
  const alt = "The same part of the noisy, the denoised and the original picture, enlarged.";
  return wide(pictureOf(sideBySide(parts, 6), alt), "Enlarged: noisy, denoised, original.");
}
