/** Job: adds noise to the photograph, fits a density to noisy patches, and removes the noise. */
import {
  OverlapAverage,
  coveringCorners,
  patchesAt,
} from "../../../src/denoising/overlapping-patches.js";
import { score } from "../../../src/density/induced-density.js";
import { psnrInDecibels } from "../../../src/evaluation/picture-quality.js";
import type { GreyImage } from "../../../src/images/grey-image.js";
import { type Bitmap, greyBitmap } from "../../components/bitmap.js";
import type { Job, JobContext } from "../../compute/job.js";
import type { NamedFile } from "../../named-file.js";
import { fitPatches, patchSide } from "./patch-density.js";
import { withNoise } from "./noise.js";
import { storyData } from "./responses-job.js";

/** Noise level σ in grey levels of 255. */
export const noiseLevel = 25;
const sigma = noiseLevel / 255;

export interface Cleaned {
  readonly noisy: Bitmap;
  readonly clean: Bitmap;
  readonly noisyPsnrInDecibels: number;
  readonly psnrInDecibels: number;
}

export const removeNoise: Job<NamedFile, Cleaned> = async (photograph, job) =>
  cleanedOf((await storyData(photograph)).image, job);

/** Paper eq. (7): x̂ = x̃ + σ² ∇ log p(x̃), averaged over all patches that contain a pixel. */
export async function cleanedOf(
  image: GreyImage,
  { runner, signal }: Pick<JobContext<never>, "runner" | "signal">,
): Promise<Cleaned> {
  const noisy = withNoise(image, sigma);
  const transform = await fitPatches(runner, noisy, signal);
  const corners = coveringCorners(noisy, patchSide, 1);
  const x = patchesAt(noisy, corners, patchSide);
  const { score: gradient } = await score(runner, transform, x, { signal });
  const average = new OverlapAverage(noisy, patchSide);
  average.add(
    corners,
    x.map((value, k) => value + sigma * sigma * gradient[k]),
  );
  const clean = average.image();
  return {
    noisy: greyBitmap(noisy),
    clean: greyBitmap(clean),
    noisyPsnrInDecibels: psnrInDecibels(noisy, image),
    psnrInDecibels: psnrInDecibels(clean, image),
  };
}
