/**
 * The likelihood of whole images, estimated from crops: the objective of fits of image cascades.
 * Per location of C maps,
 *
 *   log p ≈ −mean ½‖y_p‖² − (C/2) log 2π
 *           + Σ over GDNs of mean log |det ∂y_p/∂x_p| + Σ over convolutions of ℓ
 *
 *   symbol  variable   meaning
 *   p       –          locations that depend only on pixels of the crop; early stages have more of
 *                      them than late ones
 *   ℓ       –          log |det| of the convolution on fields of w×h locations, divided by w h
 *
 * ℓ is the mean of log |det F̂(ω)| over a grid of frequencies. It hardly depends on the size of the
 * grid (Szegő's theorem), and a step may use a part of the frequencies. For all crops of infinitely
 * large images this is the log-density per location, without edges.
 *
 * Crops are fields of blocks, without joined edges. Each convolution drops the locations for which
 * it would need pixels outside the crop, so a square of `side` blocks leaves
 *
 *   counted = side − Σ over convolutions of (taps − 1)
 *
 * locations along each side.
 */
import { runBatch } from "../density/batch-passes.js";
import { logDeterminantOn } from "../density/images/convolution-passes.js";
import { convolved } from "../density/images/convolution-products.js";
import { commonParts, logProbOf } from "../density/induced-density.js";
import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import type { Convolution } from "../transforms/convolution.js";
import { LostFrequencyError } from "../transforms/convolutions/inverse.js";
import type { FieldBatch, GridSize } from "../transforms/field.js";
import {
  type ImageCascade,
  type ImageStage,
  isConvolution,
  partsOf,
} from "../transforms/image-cascade.js";
import type { Cascade } from "../transforms/transform.js";

/** Shape of square crops, which follow each other in one array, each row by row. */
export interface CropShape {
  /** s: blocks are s×s pixels. */
  readonly stride: number;
  /** Side of a crop in blocks. */
  readonly side: number;
  /** Locations along each side after all stages. */
  readonly counted: number;
}

/** Grid for the determinants of convolutions; a few times the taps is large enough. */
export const frequencyGrid: GridSize = { width: 32, height: 32 };

/** Returns the middle of each crop, as large as the stages need for the counted locations. */
export function fieldsOfCrops(
  crops: FloatArray,
  { stride, side, counted }: CropShape,
  stages: readonly ImageStage[],
): FieldBatch {
  let [width, height] = [counted, counted];
  for (const { taps } of stages.filter(isConvolution)) {
    width += taps.width - 1;
    height += taps.height - 1;
  }
  const row = side * stride;
  const count = crops.length / (row * row);
  if (!Number.isInteger(count) || count < 1) {
    throw expected("the batch", `hold crops of ${row}×${row} pixels`, crops.length);
  }
  if (Math.max(width, height) > side) {
    throw expected("the crops", `be at least ${Math.max(width, height)} blocks wide`, side);
  }
  const maps = stride * stride;
  const length = count * width * height * maps;
  const values =
    crops instanceof Float32Array ? new Float32Array(length) : new Float64Array(length);
  const left = Math.floor((side - width) / 2) * stride;
  const top = Math.floor((side - height) / 2) * stride;
  for (let crop = 0, to = 0; crop < count; crop++) {
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        let from = (crop * row + top + y * stride) * row + left + x * stride;
        for (let a = 0; a < stride; a++, from += row) {
          for (let b = 0; b < stride; b++) values[to++] = crops[from + b];
        }
      }
    }
  }
  return { count, width, height, maps, values };
}

/**
 * Returns the mean log p per location in nats, with all frequencies; NaN if a location has no
 * density.
 */
export async function meanLogProbOfCrops(
  runner: TaskRunner,
  cascade: ImageCascade,
  crops: FloatArray,
  shape: CropShape,
  grid: GridSize = frequencyGrid,
): Promise<number> {
  let x = fieldsOfCrops(crops, shape, cascade.stages);
  let logDeterminant = 0;
  let energy = 0;
  for (const { transform } of partsOf(cascade)) {
    if (transform.kind === "convolution") {
      x = await convolved(runner, transform, x, "within");
      energy = meanEnergy(x.values, x.maps);
      logDeterminant += await convolutionPerLocation(runner, transform, grid);
      continue;
    }
    const found = await measureLocations(runner, transform, x);
    x = { ...x, values: found.y };
    energy = found.energy;
    logDeterminant += found.logDeterminant;
  }
  const mean = logProbOf(energy, logDeterminant, x.maps);
  return Number.isFinite(mean) ? mean : NaN;
}

/** Returns ℓ over all frequencies; −∞ if the convolution is singular at one of them. */
export async function convolutionPerLocation(
  runner: TaskRunner,
  convolution: Convolution,
  grid: GridSize = frequencyGrid,
): Promise<number> {
  try {
    return (await logDeterminantOn(runner, convolution, grid)) / (grid.width * grid.height);
  } catch (error) {
    if (error instanceof LostFrequencyError) return -Infinity;
    throw error;
  }
}

/** Returns y and the means of ½‖y‖² and log |det|, which is NaN if a location has no density. */
export async function measureLocations(runner: TaskRunner, transform: Cascade, x: FieldBatch) {
  const request = { pass: "gaussianize", x: x.values, wantsY: true } as const;
  const batch = await runBatch(runner, transform, request);
  const common = commonParts(runner.kernels, transform).logDeterminant;
  const { energy, logDeterminant } = batch as Record<"energy" | "logDeterminant", Float64Array>;
  const hasFailures = batch.failedStage?.some((stage) => stage >= 0) ?? false;
  return {
    y: batch.y as FloatArray,
    energy: meanOf(energy),
    logDeterminant: hasFailures ? NaN : meanOf(logDeterminant) + common,
  };
}

/** Returns the mean of ½‖y‖² per location. */
export function meanEnergy(values: FloatArray, maps: number): number {
  let sum = 0;
  for (let k = 0; k < values.length; k++) sum += values[k] * values[k];
  return (sum * maps) / values.length / 2;
}

export function meanOf(
  values: Float64Array,
  counts: (index: number) => boolean = () => true,
): number {
  let [sum, count] = [0, 0];
  for (let k = 0; k < values.length; k++) {
    if (!counts(k)) continue;
    sum += values[k];
    count++;
  }
  return sum / count;
}
