/** Further rounds of denoising, by densities that know the last estimate (guided-density.ts). */
import { checkRunner } from "../../density/batch-passes.js";
import { expected } from "../../errors.js";
import { type GreyImage, requireFinitePixels, requireSameSize } from "../../images/grey-image.js";
import { square } from "../../numbers/square.js";
import type { JobInput, TaskRunner } from "../../parallel/job.js";
import { checkFields } from "../../transforms/checks.js";
import { atNoiseLevel } from "../contrast.js";
import { checkSigma } from "../noise-level.js";
import { checkStride } from "../overlapping-patches.js";
import { type PatchTile, patchTiles, pixelsOfTile } from "../patch-tiles.js";
import { tileAverage, transferred } from "../tile-average.js";
import { type EstimateShared, type EstimateTask, estimateJob } from "./estimate-job.js";
import { type GuidedDensities, checkGuided } from "./guided-density.js";

export interface GuidedDenoisingOptions {
  /** Noise level in the units of the pixels; should be near the level of the densities. */
  readonly sigma: number;
  /**
   * Pixels from one patch to the next in each round, from 1 to the side of a patch; default
   * {@link usualStrides}. There are 1 to 3 rounds, and the estimate of each guides the next. The
   * second gains a tenth of the first, the third nothing.
   */
  readonly strides?: readonly number[];
  readonly signal?: AbortSignal | undefined;
  /** Reports the patches that are done, and their total. */
  readonly onProgress?: (done: number, total: number) => void;
}

const optionFields = ["sigma", "strides", "signal", "onProgress"] as const;

/** Stride of the first estimates that the densities were fitted to: nearly as good as 1. */
export const guideStride = 3;

/** Strides with the best estimates: a second stride of 1 gains 0.004 dB over one of 2. */
export const usualStrides: readonly number[] = [2, 1];
const mostRounds = 3;

/** Gradients of a patch reach one pixel beyond it. */
const tileShape = { side: 128, margin: 1 };

type Standard = Pick<GuidedDensities, "scale" | "shift">;

/**
 * Denoises an image. `guide` is a first estimate; the densities of the package expect the result of
 * {@link denoiseImage} with stride 3. The result has the same bits for any number of workers.
 */
export async function denoiseGuided(
  runner: TaskRunner,
  guided: GuidedDensities,
  noisy: GreyImage,
  guide: GreyImage,
  options: GuidedDenoisingOptions,
): Promise<GreyImage> {
  checkRunner(runner);
  checkGuided(guided);
  if (guided.rings !== undefined) {
    throw expected(
      "the densities",
      "be of a round before the last",
      "those of the last (denoiseLast)",
    );
  }
  checkOptions(options, guided);
  requireFinitePixels(noisy, "the image");
  requireFinitePixels(guide, "the guide");
  requireSameSize(guide, noisy, "the guide");
  const { sigma, strides = usualStrides, signal, onProgress } = options;
  if (sigma === 0) return { ...noisy, pixels: noisy.pixels.slice() };
  const contrast = atNoiseLevel(noisy, sigma, guided);
  requireFinitePixels(contrast.image, `the image at the contrast of σ = ${guided.noiseLevel}`);
  const tiles = strides.map((own, jitter) =>
    patchTiles(contrast.image, { size: guided.size, stride: own, jitter }, tileShape),
  );
  const counts = tiles.map((own) => own.reduce((sum, { count }) => sum + count, 0));
  const total = counts.reduce((sum, count) => sum + count, 0);
  let by = contrast.like(guide);
  let before = 0;
  for (const [round, own] of tiles.entries()) {
    by = await oneRound(runner, guided, {
      noisy: contrast.image,
      guide: by,
      tiles: own,
      signal,
      onProgress: (done) => onProgress?.(before + done, total),
    });
    before += counts[round];
  }
  return contrast.back(by);
}

interface Round {
  readonly noisy: GreyImage;
  readonly guide: GreyImage;
  readonly tiles: readonly PatchTile[];
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (done: number) => void;
}

/** Denoises an image once, at the contrast of the densities. */
async function oneRound(
  runner: TaskRunner,
  guided: GuidedDensities,
  { noisy, guide, tiles, signal, onProgress }: Round,
): Promise<GreyImage> {
  const average = await tileAverage(runner, estimateJob, sharedOf(guided), {
    image: noisy,
    tiles,
    taskOf: (tile) => taskOf(guided, noisy, guide, tile),
    signal,
    onProgress,
  });
  const { scale, shift } = guided;
  const pixels = average.pixels.map((value) => (value - shift) / scale);
  return { ...average, pixels };
}

function sharedOf({ size, scale, bounds, experts, noiseLevel }: GuidedDensities): EstimateShared {
  const { strengths, coherences } = bounds;
  return {
    size,
    experts,
    variance: square(scale * noiseLevel),
    bounds: { strengths: strengths.map((strength) => scale * strength), coherences },
  };
}

function taskOf(
  standard: Standard,
  noisy: GreyImage,
  guide: GreyImage,
  tile: PatchTile,
): JobInput<EstimateTask> {
  return transferred({
    width: tile.width,
    height: tile.height,
    noisy: pixelsOfTile(noisy, tile, standard),
    guide: pixelsOfTile(guide, tile, standard),
    corners: tile.corners(),
    kinds: null,
  });
}

function checkOptions(options: GuidedDenoisingOptions, { size }: GuidedDensities): void {
  checkFields("the options", options, optionFields);
  const { sigma, strides = usualStrides } = options;
  checkSigma(sigma);
  if (!Array.isArray(strides) || strides.length < 1 || strides.length > mostRounds) {
    throw expected("strides", `be a list of 1 to ${mostRounds} numbers`, strides);
  }
  for (const stride of strides as readonly number[]) checkStride(stride, size);
}

/** Scales pixels as the densities expect them. */
export function standardized(image: GreyImage, { scale, shift }: Standard): GreyImage {
  return { ...image, pixels: image.pixels.map((value) => scale * value + shift) };
}
