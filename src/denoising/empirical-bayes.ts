/**
 * Denoising by empirical Bayes (Miyasawa 1961), paper eq. (7): for x̃ = x + noise, the noise white
 * and normal,
 *
 *   x̂ = E(x | x̃) = x̃ + σ² ∇ log p(x̃)
 *
 *   symbol  meaning
 *   x̃       a noisy patch
 *   σ       standard deviation of its noise
 *   p       density of NOISY patches, which the model was fitted to
 *   x̂       the estimate with the least mean squared error
 *
 * This is exact for the true p and needs no density of clean patches. The estimate of a pixel is
 * the mean over all patches that contain it, by default with equal weights (`weighting`). A density
 * that was fitted to another noise level serves after a change of contrast (contrast.ts).
 *
 * Deviation from the paper: the estimated noise of a patch is bounded (`bounded`). This gains up to
 * 0.01 dB on unclipped photographs, and up to 2.4 dB on clipped ones.
 *
 * Cost: one score per patch.
 */
import { isMixture } from "../density/mixtures/mixture.js";
import { scoreOfPatches } from "../density/mixtures/patch-score.js";
import type { PatchModel } from "../density/model-files/model.js";
import { requireReading } from "../density/model-files/model-reading.js";
import type { GreyImage } from "../images/grey-image.js";
import type { FloatArray } from "../kernels/kernels.js";
import { square } from "../numbers/square.js";
import type { TaskRunner } from "../parallel/job.js";
import { estimateByExpansion, patchDensityOf } from "./expanded-estimates.js";
import { OverlapAverage, coveringCorners, patchesAt } from "./overlapping-patches.js";

export interface DenoisingOptions {
  /**
   * Standard deviation of the noise, in the units of the pixels. It should be near the noise level
   * of the model (`about.preprocessing.noiseLevel`), and equal to it if the model does not tell it.
   */
  readonly sigma: number;
  /**
   * Pixels from one patch to the next, from 1 (default) to the side of a patch. For whole images,
   * pixels from one shift of the grid to the next, at most the stride of the cascade.
   */
  readonly stride?: number;
  /**
   * Limits the estimated noise of a patch to plausible noise, default true; false: plain eq. (7).
   */
  readonly bounded?: boolean;
  /**
   * Weights of overlapping patches: equal (default), or one over the estimated error, which is no
   * better on photographs (docs/decisions.md).
   */
  readonly weighting?: "uniform" | "error";
  /**
   * Expands the log-determinant to second order (expanded-estimates.ts) if the density is a GDN of
   * the structure "column" with uniform weights. This is eight times as fast. Default false.
   */
  readonly isExpanded?: boolean;
  /** Patches in memory, default 16,384; does not change the result. */
  readonly patchesAtOnce?: number;
  /**
   * Side of the tiles into which densities of whole images cut large images, default 512 pixels;
   * does not change the result.
   */
  readonly tileSize?: number;
  readonly signal?: AbortSignal | undefined;
  /** Reports patches, or shifts of tiles, that are done, and their total. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Denoises an image whose noise has the level of the model. */
export async function estimateByPatches(
  runner: TaskRunner,
  model: PatchModel,
  noisy: GreyImage,
  options: DenoisingOptions,
): Promise<GreyImage> {
  const { layout } = requireReading(model);
  const { sigma, stride = 1, patchesAtOnce = 16_384, bounded = true, signal, onProgress } = options;
  const isWeighted = options.weighting === "error";
  const density =
    options.isExpanded && !isWeighted && !isMixture(model.transform)
      ? patchDensityOf(model.transform)
      : null;
  if (density) {
    return estimateByExpansion(runner, density, noisy, {
      grid: { size: layout.size, stride },
      sigma,
      isBounded: bounded,
      signal,
      onProgress: (done, total) => onProgress?.(done, total),
    });
  }
  const corners = coveringCorners(noisy, layout.size, stride);
  const average = new OverlapAverage(noisy, layout.size);
  for (let first = 0; first < corners.length; first += patchesAtOnce) {
    const some = corners.subarray(first, first + patchesAtOnce);
    const x = patchesAt(noisy, some, layout.size);
    const { score: gradient } = await scoreOfPatches(runner, model.transform, x, {
      ...(signal && { signal }),
      onProgress: (done) => onProgress?.(first + done, corners.length),
    });
    const area = layout.size * layout.size;
    const estimates = estimatesOf(x, gradient, sigma, { area, bounded });
    average.add(some, estimates, isWeighted ? weightsOf(x, estimates, sigma, area) : undefined);
  }
  return average.image();
}

/** Returns x̃ minus the noise that the density sees in it, for all patches of `area` pixels. */
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

/** Smallest error, in units of σ²; keeps a patch of mere noise from outweighing all others. */
const leastError = 0.05;

/**
 * Returns one over the estimated mean squared error of each patch of N pixels:
 *
 *   E(‖x̂ − x‖² | x̃) / N = σ² + σ⁴ tr ∇²log p(x̃) / N ≈ σ² − ‖x̃ − x̂‖² / N
 *
 * since E tr ∇²log p = −E ‖∇log p‖². It is right on average over patches, and rough for each.
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
 * Limits the noise n of a patch of N pixels to plausible values. A density is unreliable for
 * patches unlike those it was fitted to, such as blacks and whites that a camera has clipped.
 *
 *   |mean n| ≤ 5 σ/√N            a mean of N independent values
 *   ‖n − mean n‖ ≤ 1.25 σ √N     2.8 standard deviations for 8×8 pixels; estimates have less energy
 *   ‖n − mean n‖ ≤ ‖x̃ − mean x̃‖  denoising removes energy from a patch
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
