/**
 * Last round of denoising, by densities whose mean depends on the guide as well
 * (guided-density.ts). Overlapping estimates are averaged with the weights ω of their classes.
 */
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
import { ringMargin, withRings } from "./guide-cells.js";
import { type GuidedDensities, checkGuided } from "./guided-density.js";
import { parametersOf } from "./guided-parameters.js";
import { type LastRoundShared, type LastRoundTask, lastRoundJob } from "./last-round-job.js";

export interface LastRoundOptions {
  /** Noise level in the units of the pixels; should be near the level of the densities. */
  readonly sigma: number;
  /** Pixels from one patch to the next, from 1 (default) to the side of a patch. */
  readonly stride?: number;
  readonly signal?: AbortSignal | undefined;
  /** Reports the patches that are done, and their total. */
  readonly onProgress?: (done: number, total: number) => void;
}

const optionFields = ["sigma", "stride", "signal", "onProgress"] as const;

/** Gradients of a patch reach one pixel beyond it. */
const tileShape = { side: 128, margin: 1 };

/** Grids of sparse patches differ from those of the rounds before. */
const jitter = 3;

/**
 * Denoises an image. `guide` is an estimate that similar patches have refined, as the densities
 * expect it. The result has the same bits for any number of workers.
 */
export async function denoiseLast(
  runner: TaskRunner,
  guided: GuidedDensities,
  noisy: GreyImage,
  guide: GreyImage,
  options: LastRoundOptions,
): Promise<GreyImage> {
  checkRunner(runner);
  checkGuided(guided);
  checkFields("the options", options, optionFields);
  const { sigma, stride = 1 } = options;
  checkSigma(sigma);
  checkStride(stride, guided.size);
  requireFinitePixels(noisy, "the image");
  requireFinitePixels(guide, "the guide");
  requireSameSize(guide, noisy, "the guide");
  if (guided.rings === undefined) throw expected("the densities", "be of a last round", "others");
  if (sigma === 0) return { ...noisy, pixels: noisy.pixels.slice() };
  const contrast = atNoiseLevel(noisy, sigma, guided);
  requireFinitePixels(contrast.image, `the image at the contrast of σ = ${guided.noiseLevel}`);
  const estimate = await estimateTiles(
    runner,
    guided,
    contrast.image,
    contrast.like(guide),
    options,
  );
  return contrast.back(estimate);
}

async function estimateTiles(
  runner: TaskRunner,
  guided: GuidedDensities,
  noisy: GreyImage,
  guide: GreyImage,
  { stride = 1, signal, onProgress }: LastRoundOptions,
): Promise<GreyImage> {
  const { size, scale, shift, rings = 0 } = guided;
  const tiles = patchTiles(noisy, { size, stride, jitter }, tileShape);
  const total = tiles.reduce((sum, { count }) => sum + count, 0);
  const wide = withRings(guide, rings);
  const average = await tileAverage(runner, lastRoundJob, sharedOf(guided), {
    image: noisy,
    tiles,
    taskOf: (tile) => taskOf(guided, noisy, wide, tile),
    signal,
    onProgress: (done) => onProgress?.(done, total),
  });
  return { ...average, pixels: average.pixels.map((value) => (value - shift) / scale) };
}

function sharedOf(guided: GuidedDensities): LastRoundShared {
  const { size, rings = 0, scale, noiseLevel, experts } = guided;
  const { strengths, coherences } = guided.bounds;
  return {
    size,
    rings,
    classes: experts.map((expert) => parametersOf(expert, guided)),
    variance: square(scale * noiseLevel),
    bounds: { strengths: strengths.map((strength) => scale * strength), coherences },
  };
}

function taskOf(
  guided: GuidedDensities,
  noisy: GreyImage,
  wide: GreyImage,
  tile: PatchTile,
): JobInput<LastRoundTask> {
  const { width, height } = tile;
  const margins = 2 * ringMargin(guided.rings ?? 0);
  const around = { ...tile, width: width + margins, height: height + margins };
  return transferred({
    width,
    height,
    noisy: pixelsOfTile(noisy, tile, guided),
    guide: pixelsOfTile(wide, around, guided),
    corners: tile.corners(),
  });
}
