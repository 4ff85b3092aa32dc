/**
 * The likelihood of whole images, from crops: what a fit of an image cascade raises. By location,
 * of C maps,
 *
 *   log p ≈ −mean ½‖y_p‖² − (C/2) log 2π
 *           + Σ over GDNs of mean log |det ∂y_p/∂x_p| + Σ over convolutions of ℓ
 *
 *   symbol  variable   meaning
 *   p       –          locations that depend on pixels of the crop alone; of early stages there are
 *                      more than of late ones
 *   ℓ       –          log |det| of the convolution on fields of w×h locations, divided by w h
 *
 * ℓ is the mean of log |det F̂(ω)| over a grid of frequencies, which hardly depends on its size
 * (Szegő's theorem), and a step may look at some of them only. With all crops of infinitely large
 * images this is the log-density by location, without edges.
 */
import { runBatch } from "../density/batch-passes.js";
import { logDeterminantOn } from "../density/images/convolution-passes.js";
import { commonParts, logProbOf } from "../density/induced-density.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import type { Convolution } from "../transforms/convolution.js";
import { LostFrequencyError } from "../transforms/convolutions/inverse.js";
import { applyWithin } from "../transforms/convolutions/products.js";
import type { FieldBatch, GridSize } from "../transforms/field.js";
import { type ImageCascade, partsOf } from "../transforms/image-cascade.js";
import type { Cascade } from "../transforms/transform.js";
import { type CropShape, fieldsOfCrops } from "./crop-fields.js";

/** Of the determinants of convolutions; any that is larger than a few times their taps will do. */
export const frequencyGrid: GridSize = { width: 32, height: 32 };

/**
 * Mean of log p by location over crops, in nats, with all frequencies; NaN where a location has no
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
      x = applyWithin(runner.kernels, transform, x);
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

/** ℓ over all frequencies; −∞ where one is lost. */
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

/** y, with the means of ½‖y‖² and log |det|; NaN where a location has no density. */
export async function measureLocations(runner: TaskRunner, transform: Cascade, x: FieldBatch) {
  const batch = await runBatch(runner, transform, {
    pass: "gaussianize",
    x: x.values,
    wantsY: true,
  });
  const common = commonParts(runner.kernels, transform).logDeterminant;
  const { energy, logDeterminant } = batch as Record<"energy" | "logDeterminant", Float64Array>;
  const hasFailures = batch.failedStage?.some((stage) => stage >= 0) ?? false;
  return {
    y: batch.y as FloatArray,
    energy: meanOf(energy),
    logDeterminant: hasFailures ? NaN : meanOf(logDeterminant) + common,
  };
}

/** ½‖y‖² by location. */
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
