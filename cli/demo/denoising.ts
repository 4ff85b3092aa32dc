/** The second half of the demo: a GDN of noisy patches denoises a photograph. */
import type { EmbeddedPhotograph } from "../../node/embedded-photographs.js";
import { denoiseImage } from "../../src/denoising/denoise-image.js";
import { densityOf } from "../../src/density/density-of.js";
import { psnrInDecibels } from "../../src/evaluation/picture-quality.js";
import { sideBySide } from "../../src/figures/mosaics.js";
import { type ReportBlock, pictureOf } from "../../src/figures/report-blocks.js";
import type { ReportSection } from "../../src/figures/report.js";
import type { GreyImage } from "../../src/images/grey-image.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { fitModel } from "../../src/training/fit-model.js";
import { cropped, enlarged } from "../pictures.js";
import { type DemoData, displayReading, withNoise } from "./data.js";
import { learningRate } from "./fits.js";
import type { DemoProgress, Stage } from "./progress.js";

/** Noise level of grey values from 0 to 1: the one that papers on denoising use most. */
export const sigma = 25 / 255;
/** Steps as a share of those of the GDN. */
const share = 0.75;
/** Part of the photograph around the great boat. */
const region = { left: 424, top: 212, width: 384, height: 384 };

export interface DemoDenoising {
  readonly original: GreyImage;
  readonly noisy: GreyImage;
  readonly denoised: GreyImage;
  readonly psnrNoisy: number;
  readonly psnrDenoised: number;
  readonly steps: number;
  readonly seconds: number;
}

function stepsOf(steps: number): number {
  return Math.max(1, Math.round(share * steps));
}

export function noisyFitStage(steps: number): Stage {
  return { label: "fitting GDN to noisy patches", cost: 1000 + 10 * stepsOf(steps) };
}

export const denoisingStage: Stage = { label: "denoising", cost: 3500 };

export async function denoiseDemo(
  runner: TaskRunner,
  data: DemoData,
  { steps: all, seed }: { readonly steps: number; readonly seed: number },
  progress: DemoProgress,
): Promise<DemoDenoising> {
  const steps = stepsOf(all);
  const before = progress.seconds();
  progress.enter(noisyFitStage(all));
  const { model } = await fitModel(runner, {
    model: "gdn",
    images: data.training.length,
    load: (index) => {
      const photograph = data.training[index];
      return Promise.resolve(withNoise(data.displayedOf(photograph), sigma, seed, photograph.name));
    },
    // The noise also dequantises; a nonlinear curve would distort it.
    reading: displayReading,
    preprocessing: "standardize",
    steps,
    learningRate,
    seed,
    heldOut: 0,
    onStep: ({ step }) => {
      progress.report((step + 1) / steps, `step ${step + 1}/${steps}`);
    },
  });
  progress.enter(denoisingStage);
  const original = cropped(data.displayedOf(data.heldOut), region);
  const noisy = withNoise(original, sigma, seed, data.heldOut.name);
  const denoised = await denoiseImage(densityOf(model, runner), noisy, {
    sigma,
    onProgress: (done, total) => {
      progress.report(done / total);
    },
  });
  const [psnrNoisy, psnrDenoised] = [noisy, denoised].map((image) =>
    psnrInDecibels(image, original),
  );
  const seconds = progress.seconds() - before;
  return { original, noisy, denoised, psnrNoisy, psnrDenoised, steps, seconds };
}

/** Part with the cabin, its windows and ropes. */
const closeUp = { left: 150, top: 150, width: 100, height: 100 };

export function denoisingSection(
  denoising: DemoDenoising,
  { title }: EmbeddedPhotograph,
): ReportSection {
  const { steps } = denoising;
  const level = Math.round(255 * sigma);
  return {
    title: "A density removes noise",
    blocks: [
      {
        kind: "paragraph",
        text: [
          `A GDN was fitted, in ${steps} steps, to patches of the other photographs with normal noise of σ = ${level}/255. The density of `,
          { emphasis: "noisy" },
          " patches is all that denoising needs: the best estimate of a clean patch is x̂ = x̃ + σ² ∇ log p(x̃) (Miyasawa 1961; eq. 7 of the paper), here averaged over all patches that overlap in a pixel.",
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
    [original, `Original: part of “${title}”.`],
    [
      removed(noisy, denoised),
      "Difference of the first two: the less you see of the boat, the better.",
    ],
  ];
  return {
    kind: "figures",
    figures: shown.map(([image, caption]) => ({ ...pictureOf(image, caption), caption })),
    caption: "Decibels are peak signal-to-noise ratios, 10 log₁₀(1 / mean squared error).",
  };
}

/** Returns the difference of two pictures around middle grey. */
function removed(noisy: GreyImage, denoised: GreyImage): GreyImage {
  const pixels = noisy.pixels.map((value, k) => 0.5 + value - denoised.pixels[k]);
  return { ...noisy, pixels };
}

function closeUps({ original, noisy, denoised }: DemoDenoising): ReportBlock {
  const parts = [noisy, denoised, original].map((image) => enlarged(cropped(image, closeUp), 3));
  const alt = "The same part of the noisy, the denoised and the original picture, enlarged.";
  return {
    kind: "figures",
    figures: [pictureOf(sideBySide(parts, 6), alt)],
    caption: "Enlarged: noisy, denoised, original.",
  };
}
