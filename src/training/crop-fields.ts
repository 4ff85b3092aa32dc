/**
 * Crops of images as fields of blocks, for convolutions without joined edges. Each convolution
 * leaves out the locations for which it would have to look beyond the crop, so that of a square of
 * `side` blocks
 *
 *   counted = side − Σ over convolutions of (taps − 1)
 *
 * are left along either side in the end: what these become depends on pixels of the crop alone.
 */
import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { FieldBatch, GridSize } from "../transforms/field.js";
import { type ImageStage, isConvolution } from "../transforms/image-cascade.js";

/** Square crops, one after the other in one array, each row by row. */
export interface CropShape {
  /** s: blocks are s×s pixels. */
  readonly stride: number;
  /** Of a crop, in blocks. */
  readonly side: number;
  /** Locations that count in the end, along either side. */
  readonly counted: number;
}

/** How much larger than its result the stages need a field to be. */
export function reachOf(stages: readonly ImageStage[]): GridSize {
  return stages.filter(isConvolution).reduce(
    ({ width, height }, { taps }) => ({
      width: width + taps.width - 1,
      height: height + taps.height - 1,
    }),
    { width: 0, height: 0 },
  );
}

/** The middle of each crop, as much of it as the stages need for the locations that count. */
export function fieldsOfCrops(
  crops: FloatArray,
  { stride, side, counted }: CropShape,
  stages: readonly ImageStage[],
): FieldBatch {
  const reach = reachOf(stages);
  const [width, height] = [counted + reach.width, counted + reach.height];
  const row = side * stride;
  const count = crops.length / (row * row);
  if (!Number.isInteger(count) || count < 1) {
    throw expected("the batch", `hold crops of ${row}×${row} pixels`, crops.length);
  }
  if (Math.max(width, height) > side) {
    throw expected("the crops", `be ${Math.max(width, height)} blocks wide at least`, side);
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
