/**
 * A map of the likelihood of an image, in nats per dimension.
 *
 * - Density of patches: log p(x) / N of the patches x on a grid. Division by the dimension N makes
 *   patch sizes comparable.
 * - Density of whole images: the share of each block in log p of the image, divided by the number
 *   of pixels in a block. The mean of all shares is log p per pixel.
 */
import { checkRunner } from "../density/batch-passes.js";
import { logProbOfLocations } from "../density/images/image-density.js";
import { requireReading } from "../density/model-files/model-reading.js";
import {
  type AnyModel,
  type ImageModel,
  type PatchModel,
  isImageModel,
} from "../density/model-files/model.js";
import { expected } from "../errors.js";
import type { GreyImage } from "../images/grey-image.js";
import { meanOf } from "../numbers/means.js";
import type { TaskRunner } from "../parallel/job.js";
import { gridPatchCount } from "../patches/image-patches.js";
import { patchDimension, patchesToSamples } from "../patches/patch-layout.js";
import { checkFields } from "../transforms/checks.js";
import { requireBlocks } from "../transforms/field.js";
import { gridCorners, patchChunks } from "./patch-chunks.js";
import { scorerOf } from "./mixture-scores.js";

export interface LikelihoodMapOptions {
  /** Distance between patches in pixels, default half the side of a patch; not for whole images. */
  readonly stride?: number;
  /** Patches in memory, default 4096; does not change the results. */
  readonly patchesAtOnce?: number;
  readonly signal?: AbortSignal;
  /** Receives the number of patches or blocks done, and the number of all of them. */
  readonly onProgress?: (done: number, total: number) => void;
}

export interface LikelihoodMap {
  /** Patches or blocks in a row of the grid, and rows. */
  readonly columns: number;
  readonly rows: number;
  readonly stride: number;
  /**
   * Side of a patch; the patch in row r and column c begins at pixel (c, r) · stride. For whole
   * images, the stride: blocks do not overlap.
   */
  readonly size: number;
  /** rows×columns: log p(x) / N in nats; NaN for a patch without a density. */
  readonly natsPerDimension: Float64Array;
  /** Mean over the patches with a density; NaN if there are none. */
  readonly mean: number;
}

const optionFields = ["stride", "patchesAtOnce", "signal", "onProgress"] as const;

/**
 * Returns the map of an image whose pixels are as the model reads them (`readingOf`). It is
 * bit-identical for any number of workers. For a model of whole images, the sides of the image must
 * be multiples of the stride, and an image without a density is an error.
 */
export async function likelihoodMap(
  runner: TaskRunner,
  model: AnyModel,
  image: GreyImage,
  options: LikelihoodMapOptions = {},
): Promise<LikelihoodMap> {
  checkRunner(runner);
  checkFields("the options", options, optionFields);
  return isImageModel(model)
    ? mapOfBlocks(runner, model, image, options)
    : mapOfPatches(runner, model, image, options);
}

async function mapOfBlocks(
  runner: TaskRunner,
  { transform }: ImageModel,
  image: GreyImage,
  { stride: given, signal, onProgress }: LikelihoodMapOptions,
): Promise<LikelihoodMap> {
  const { stride } = transform;
  if (given !== undefined && given !== stride) {
    throw expected("stride", `be that of the model of whole images, ${stride}`, given);
  }
  const { width: columns, height: rows } = requireBlocks(image, stride);
  const total = columns * rows;
  const shares = await logProbOfLocations(runner, transform, image, {
    signal,
    onPart:
      onProgress &&
      ((part) => {
        onProgress(Math.floor(part * total), total);
      }),
  });
  // Known log-determinants take no time and report nothing.
  onProgress?.(total, total);
  const natsPerDimension = shares.map((value) => value / (stride * stride));
  return { columns, rows, stride, size: stride, natsPerDimension, mean: meanOf(natsPerDimension) };
}

async function mapOfPatches(
  runner: TaskRunner,
  model: PatchModel,
  image: GreyImage,
  options: LikelihoodMapOptions,
): Promise<LikelihoodMap> {
  const { layout } = requireReading(model);
  const { size } = layout;
  const { stride = Math.ceil(size / 2), patchesAtOnce = 4096, signal, onProgress } = options;
  if (!Number.isInteger(patchesAtOnce) || patchesAtOnce < 1) {
    throw expected("patchesAtOnce", "be a positive integer", patchesAtOnce);
  }
  const total = gridPatchCount(image, size, stride);
  const columns = Math.floor((image.width - size) / stride) + 1;
  const natsPerDimension = new Float64Array(total);
  const dimension = patchDimension(layout);
  const scorer = scorerOf(runner, model);
  let at = 0;
  const corners = gridCorners(image, size, stride);
  for (const { patches } of patchChunks(image, size, corners, patchesAtOnce)) {
    const { logProb } = await scorer.score(patchesToSamples(patches, layout), {
      ...(signal ? { signal } : {}),
      onProgress: (done) => onProgress?.(at + done, total),
    });
    for (const value of logProb) natsPerDimension[at++] = value / dimension;
  }
  const rows = total / columns;
  const mean = meanOf(natsPerDimension.filter((value) => !Number.isNaN(value)));
  return { columns, rows, stride, size, natsPerDimension, mean };
}
