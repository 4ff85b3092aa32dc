/** The second half of the demo: a GDN of noisy patches takes the noise out of a photograph. */
import {
  type GreyImage,
  type TaskRunner,
  denoiseImage,
  fitModel,
  psnrInDecibels,
} from "../../src/index.js";
import { type DemoData, patchSize, withNoise } from "./data.js";
import { learningRate } from "./fits.js";
import type { DemoProgress, Stage } from "./progress.js";
import { cropped } from "../pictures.js";

/** What papers on denoising use most, of grey values from 0 to 1. */
export const sigma = 25 / 255;
/** Steps, as a part of those of the GDN. */
const share = 0.75;
/** Around the great boat. */
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
    // The noise spreads the codes by itself; a curve would bend it, and empirical Bayes wants it as it is.
    reading: {
      luminance: "grey",
      dequantize: false,
      layout: { size: patchSize, removeMean: false },
    },
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
  const denoised = await denoiseImage(runner, model, noisy, {
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
