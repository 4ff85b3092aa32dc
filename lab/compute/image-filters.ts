/** Filters of models of whole images: those of the first convolution, which see pixels. */
import type { ImageModel } from "../../src/density/model-files/model.js";
import { type FilterShape, filterOrder, filterShapes } from "../../src/evaluation/filter-shapes.js";
import { convolutionsOf } from "../../src/evaluation/receptive-fields.js";
import { type PixelFilters, filtersOnPixels } from "../../src/figures/filters-on-pixels.js";

/** Sizes of a model of whole images, for the page. */
export interface ImageModelSizes {
  /** Side of a block in pixels. */
  readonly stride: number;
  /** Longer side of a filter in pixels. */
  readonly filterSide: number;
  /** Number of convolutions. */
  readonly convolutions: number;
}

export function sizesOf(model: ImageModel): ImageModelSizes {
  const { stride } = model.transform;
  const convolutions = convolutionsOf(model.transform).length;
  return { stride, filterSide: filterSideOf(model), convolutions };
}

/** Returns the longer side of a filter in pixels, or that of a block if there are no filters. */
export function filterSideOf({ transform: { stride, stages } }: ImageModel): number {
  const first = stages.find((stage) => stage.kind === "convolution");
  return stride * (first ? Math.max(first.taps.width, first.taps.height) : 1);
}

export interface ImageFilters {
  /** Square filters, one per map. */
  readonly onPixels: PixelFilters;
  readonly shapes: readonly FilterShape[];
  /** Indices of maps, from coarse to fine. */
  readonly order: readonly number[];
}

/** Filters analysed at a time: 48×48 pixels take about 10 ms each. */
const filtersAtOnce = 8;

/** Returns null if the model has no convolution. The worker receives messages in between. */
export async function imageFilters(model: ImageModel): Promise<ImageFilters | null> {
  const found = filtersOnPixels(model);
  if (!found) return null;
  const onPixels = squared(found);
  const { count, width, values } = onPixels;
  const area = width * width;
  const shapes: FilterShape[] = [];
  for (let from = 0; from < count; from += filtersAtOnce) {
    const part = values.subarray(from * area, (from + filtersAtOnce) * area);
    shapes.push(...filterShapes(part, width));
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return { onPixels, shapes, order: filterOrder(shapes) };
}

/** Adds weights of 0 to the shorter side. */
function squared({ count, width, height, values }: PixelFilters): PixelFilters {
  if (width === height) return { count, width, height, values };
  const side = Math.max(width, height);
  const padded = new Float64Array(count * side * side);
  for (let row = 0; row < count * height; row++) {
    const [filter, within] = [Math.floor(row / height), row % height];
    const from = values.subarray(row * width, (row + 1) * width);
    padded.set(from, (filter * side + within) * side);
  }
  return { count, width: side, height: side, values: padded };
}
