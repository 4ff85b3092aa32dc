/**
 * Denoising by empirical Bayes (Miyasawa 1961), paper eq. (7): for x̃ = x + noise, the noise white
 * and normal,
 *
 *   x̂ = E(x | x̃) = x̃ + σ² ∇ log p(x̃)
 *
 *   symbol  meaning
 *   x̃       a noisy patch
 *   σ       standard deviation of its noise
 *   p       density of NOISY patches: what the model was fitted to
 *   x̂       the estimate with the least mean squared error
 *
 * Exact for the p of the data; no density of clean patches appears in it. In an image, the
 * estimates of all patches that a pixel is in are averaged, with equal weights unless others are
 * asked for (`weighting`).
 *
 * A density that was fitted to patches with other noise serves as well, if the contrast of the
 * picture is changed (contrast.ts).
 *
 * Deviation from the paper: the noise of a patch is bounded (`bounded`); on photographs with all of
 * their noise that is worth up to 0.01 dB, on clipped ones up to 2.4 dB.
 *
 * Cost: one score a patch.
 */
import { score } from "../density/induced-density.js";
import type { Model } from "../density/model-files/model.js";
import { requireReading } from "../density/model-files/model-reading.js";
import type { GreyImage } from "../images/grey-image.js";
import type { FloatArray } from "../kernels/kernels.js";
import { square } from "../numbers/square.js";
import type { TaskRunner } from "../parallel/job.js";
import { OverlapAverage, coveringCorners, patchesAt } from "./overlapping-patches.js";

export interface DenoisingOptions {
  /**
   * Standard deviation of the noise, in the units of the pixels. The model must have been fitted to
   * patches with as much, unless it says itself with how much (`about.preprocessing.noiseLevel`):
   * then it should be near.
   */
  readonly sigma: number;
  /**
   * Pixels from one patch to the next, default 1: every patch. At most the side of a patch. For
   * whole images from one shift of the grid to the next, at most the stride of the cascade.
   */
  readonly stride?: number;
  /**
   * Whether the noise of a patch is kept within what noise can be, default true; false: eq. (7) as
   * it stands.
   */
  readonly bounded?: boolean;
  /**
   * How much a patch counts where patches overlap: all the same, the default, or each by one over
   * its estimated error. The latter is no better on photographs (docs/decisions.md).
   */
  readonly weighting?: "uniform" | "error";
  /** Patches in memory, default 16,384; does not change the result. */
  readonly patchesAtOnce?: number;
  /**
   * The side of the tiles in which large images are done by densities of whole ones, default 512
   * pixels; does not change the result.
   */
  readonly tileSize?: number;
  readonly signal?: AbortSignal;
  /** Patches, or shifts of all tiles, that are done, and all of them. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** The whole picture, at the noise level of the model. */
export async function estimateByPatches(
  runner: TaskRunner,
  model: Model,
  noisy: GreyImage,
  options: DenoisingOptions,
): Promise<GreyImage> {
  const { layout } = requireReading(model);
  const { sigma, stride = 1, patchesAtOnce = 16_384, bounded = true, signal, onProgress } = options;
  const corners = coveringCorners(noisy, layout.size, stride);
  const average = new OverlapAverage(noisy, layout.size);
  for (let first = 0; first < corners.length; first += patchesAtOnce) {
    const some = corners.subarray(first, first + patchesAtOnce);
    const x = patchesAt(noisy, some, layout.size);
    const { score: gradient } = await score(runner, model.transform, x, {
      ...(signal && { signal }),
      onProgress: (done) => onProgress?.(first + done, corners.length),
    });
    const area = layout.size * layout.size;
    const estimates = estimatesOf(x, gradient, sigma, { area, bounded });
    const isWeighted = options.weighting === "error";
    average.add(some, estimates, isWeighted ? weightsOf(x, estimates, sigma, area) : undefined);
  }
  return average.image();
}

/** Of all patches, x̃ minus the noise that the density sees in it. */
export function estimatesOf(
  x: FloatArray,
  gradient: FloatArray,
  sigma: number,
  { area, bounded }: { readonly area: number; readonly bounded: boolean },
): Float64Array {
  const noise = new Float64Array(gradient);
  for (let k = 0; k < noise.length; k++) noise[k] *= -sigma * sigma;
  if (bounded) {
    for (let from = 0; from < x.length; from += area) keepWithinReason(noise, x, from, area, sigma);
  }
  for (let k = 0; k < x.length; k++) noise[k] = x[k] - noise[k];
  return noise;
}

/** Of σ²: lest a patch that happens to look like noise alone decides for all others. */
const leastError = 0.05;

/**
 * One over the mean squared error of each patch of N pixels, as far as one patch tells:
 *
 *   E(‖x̂ − x‖² | x̃) / N = σ² + σ⁴ tr ∇²log p(x̃) / N ≈ σ² − ‖x̃ − x̂‖² / N
 *
 * since E tr ∇²log p = −E ‖∇log p‖²: right in the mean over patches, rough for each.
 */
function weightsOf(
  x: Float32Array,
  estimates: Float64Array,
  sigma: number,
  area: number,
): Float64Array {
  return Float64Array.from({ length: x.length / area }, (_, patch) => {
    let squares = 0;
    for (let k = patch * area; k < (patch + 1) * area; k++) squares += square(x[k] - estimates[k]);
    return 1 / Math.max(leastError, 1 - squares / area / (sigma * sigma));
  });
}

/**
 * What is certain of the noise n in a patch of N pixels, whatever a density says of patches unlike
 * all that it was fitted to. Those are patches with less noise: of whites and blacks that a camera
 * has clipped it sees noise far beyond white.
 *
 *   |mean n| ≤ 5 σ/√N            a mean of N independent values
 *   ‖n − mean n‖ ≤ 1.25 σ √N     2.8 standard deviations for 8×8 pixels, and an estimate has less
 *                                than what it estimates
 *   ‖n − mean n‖ ≤ ‖x̃ − mean x̃‖  to remove noise takes energy out of a patch
 */
function keepWithinReason(
  noise: Float64Array,
  x: FloatArray,
  from: number,
  area: number,
  sigma: number,
): void {
  const end = from + area;
  let [sumX, sumN, squaresX, squaresN] = [0, 0, 0, 0];
  for (let k = from; k < end; k++) {
    sumX += x[k];
    sumN += noise[k];
  }
  const [meanX, meanN] = [sumX / area, sumN / area];
  for (let k = from; k < end; k++) {
    squaresX += (x[k] - meanX) * (x[k] - meanX);
    squaresN += (noise[k] - meanN) * (noise[k] - meanN);
  }
  const most = Math.min(squaresX, 1.25 * 1.25 * sigma * sigma * area);
  const mostMean = (5 * sigma) / Math.sqrt(area);
  if (squaresN <= most && Math.abs(meanN) <= mostMean) return;
  const factor = squaresN > most ? Math.sqrt(most / squaresN) : 1;
  const kept = Math.max(-mostMean, Math.min(mostMean, meanN));
  for (let k = from; k < end; k++) noise[k] = kept + factor * (noise[k] - meanN);
}
