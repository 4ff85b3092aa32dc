/**
 * Refinement of an estimate, for pictures with repeating structure. The similar patches of a
 * picture give each other a density, which no prior from other photographs has:
 *
 *   p(x) = N(x; μ, C),   x̂ = E[x | y] = μ + C (C + σ²I)⁻¹ (y − μ)
 *
 *   symbol  meaning
 *   y, x    a noisy patch, and the clean one
 *   μ, C    mean and covariance of the group: the patches of the guide that are nearest to a
 *           reference patch; C includes the uncertainty of the guide, a multiple of σ²I
 *
 * This is the second step of NL-Bayes (Lebrun, Buades & Morel 2013), with the estimate of the
 * guided rounds in place of the first step. The result of a first pass makes the guide of a second
 * pass. The last estimate lies between the posterior mean under the guided densities and the one
 * under the densities of the groups (merit.ts).
 */
import { checkRunner } from "../../density/batch-passes.js";
import { expected } from "../../errors.js";
import { type GreyImage, requireFinitePixels, requireSameSize } from "../../images/grey-image.js";
import type { SimilarRegion, SimilarSettings } from "../../kernels/patch-kernels.js";
import type { TaskList, TaskRunner } from "../../parallel/job.js";
import { checkFields } from "../../transforms/checks.js";
import { checkSigma } from "../noise-level.js";
import { checkStride } from "../overlapping-patches.js";
import { type PatchTile, addTile, patchTiles, pixelsOfTile } from "../patch-tiles.js";
import { transferred } from "../tile-average.js";
import { mixedByMerit } from "./merit.js";
import { similarJob } from "./similar-job.js";

export interface SelfSimilarOptions {
  /** Noise level in the units of the pixels. */
  readonly sigma: number;
  /**
   * Pixels from one reference patch to the next in each of one or two passes, from 1 to 7; default
   * {@link similarStrides}.
   */
  readonly strides?: readonly number[];
  readonly signal?: AbortSignal | undefined;
  /** Reports the reference patches that are done, and their total. */
  readonly onProgress?: (done: number, total: number) => void;
}

const optionFields = ["sigma", "strides", "signal", "onProgress"] as const;

const settings: SimilarSettings = { size: 7, reach: 17, uncertainty: 0.03 };
export const similarStrides: readonly number[] = [4, 4];
const mostPasses = 2;
/**
 * Guide of the second pass: x̂₁ + f (x̂₂ − x̂₁), where x̂₁ is the guide of the first and x̂₂ its
 * result.
 */
const overshoot = 1.5;

/** Side in pixels of the square in which the reference patches of a tile begin. */
const tileSide = 64;

/** Tiles whose sums are in memory at a time: 9 MB. */
const tilesAtOnce = 64;

/**
 * Refines `guide`, an estimate of the clean image, by the similar patches of the image. The result
 * has the same bits for any number of workers. Images smaller than a patch come back unchanged.
 */
export async function denoiseSelfSimilar(
  runner: TaskRunner,
  noisy: GreyImage,
  guide: GreyImage,
  options: SelfSimilarOptions,
): Promise<GreyImage> {
  checkRunner(runner);
  checkFields("the options", options, optionFields);
  const { sigma, strides = similarStrides, onProgress } = options;
  checkSigma(sigma);
  checkStrides(strides);
  requireFinitePixels(noisy, "the image");
  requireFinitePixels(guide, "the guide");
  requireSameSize(guide, noisy, "the guide");
  const { width, height } = noisy;
  if (sigma === 0 || Math.min(width, height) < settings.size) {
    onProgress?.(1, 1);
    return guide;
  }
  requireFiniteInNoise(noisy, sigma);
  requireFiniteInNoise(guide, sigma);
  const tiles = strides.map((stride) => {
    const shape = { side: tileSide, margin: settings.reach };
    return patchTiles(noisy, { size: settings.size, stride }, shape);
  });
  const counts = tiles.map((own) => own.reduce((sum, { count }) => sum + count, 0));
  const total = counts.reduce((sum, count) => sum + count, 0);
  const report =
    (pass: number) =>
    (done: number): void =>
      onProgress?.(pass * counts[0] + done, total);
  const pass = (by: GreyImage, k: number) =>
    onePass(runner, noisy, by, tiles[k], { ...options, onProgress: report(k) });
  let last = await pass(guide, 0);
  if (tiles.length === 2) {
    const second = last.estimate;
    guide.pixels.forEach((value, k) => {
      second[k] = value + overshoot * (second[k] - value);
    });
    last = await pass({ width, height, pixels: second }, 1);
  }
  return { width, height, pixels: mixedByMerit(guide.pixels, last.estimate, last.residual) };
}

function checkStrides(strides: readonly number[]): void {
  if (!Array.isArray(strides) || strides.length < 1 || strides.length > mostPasses) {
    throw expected("strides", `be a list of 1 to ${mostPasses} numbers`, strides);
  }
  for (const stride of strides as readonly number[]) checkStride(stride, settings.size);
}

/** Requires an image to be finite in units of its noise, in Float32 as the kernels expect it. */
function requireFiniteInNoise({ pixels }: GreyImage, sigma: number): void {
  const wrong = pixels.findIndex((value) => !Number.isFinite(Math.fround(value / sigma)));
  if (wrong < 0) return;
  throw expected("the pixels divided by sigma", "be finite in 32 bits", pixels[wrong] / sigma);
}

interface Pass {
  readonly estimate: Float32Array;
  /** Mean of ‖y − x̂‖²/(Nσ²) over the estimates of the patches that cover a pixel. */
  readonly residual: Float32Array;
}

interface PassOptions {
  readonly sigma: number;
  readonly signal?: AbortSignal | undefined;
  /** Reports the reference patches that are done. */
  readonly onProgress: (done: number) => void;
}

async function onePass(
  runner: TaskRunner,
  noisy: GreyImage,
  guide: GreyImage,
  tiles: readonly PatchTile[],
  { sigma, signal, onProgress }: PassOptions,
): Promise<Pass> {
  const zeros = (): Float32Array => new Float32Array(noisy.pixels.length);
  const sums = { values: zeros(), counts: zeros(), residuals: zeros() };
  let done = 0;
  for (let first = 0; first < tiles.length; first += tilesAtOnce) {
    const some = tiles.slice(first, first + tilesAtOnce);
    const results = await runner.run(similarJob, settings, tasksOf(noisy, guide, some, sigma), {
      signal,
      onTaskDone: (k) => {
        done += some[k].count;
        onProgress(done);
      },
    });
    results.forEach(({ values, counts, residuals }, k) => {
      addTile(sums.values, noisy, values, some[k]);
      addTile(sums.counts, noisy, counts, some[k]);
      addTile(sums.residuals, noisy, residuals, some[k]);
    });
  }
  // Every pixel is covered by a reference patch, which is a member of its own group.
  const { values, counts, residuals } = sums;
  counts.forEach((count, k) => {
    values[k] *= sigma / count;
    residuals[k] /= count;
  });
  return { estimate: values, residual: residuals };
}

function tasksOf(
  noisy: GreyImage,
  guide: GreyImage,
  tiles: readonly PatchTile[],
  sigma: number,
): TaskList<SimilarRegion> {
  const inNoise = { scale: 1 / sigma, shift: 0 };
  return {
    length: tiles.length,
    at: (k) => {
      const { width, height, corners } = tiles[k];
      const [own, theirs] = [guide, noisy].map((each) => pixelsOfTile(each, tiles[k], inNoise));
      return transferred({ width, height, guide: own, noisy: theirs, references: corners() });
    },
  };
}
