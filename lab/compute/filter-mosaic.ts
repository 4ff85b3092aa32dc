/** The filters of a model as a picture. */
import { readingOf } from "../../src/density/model-files/model-reading.js";
import type { AnyModel, Model } from "../../src/density/model-files/model.js";
import { type FilterShape, filterOrder, filterShapes } from "../../src/evaluation/filter-shapes.js";
import { type PixelFilters, filtersOnPixels } from "../../src/figures/filters-on-pixels.js";
import { patchMosaic, rowsInOrder } from "../../src/figures/mosaics.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import { type PatchLayout, filtersOnPatches } from "../../src/patches/patch-layout.js";
import { stagesOf } from "../../src/transforms/cascade.js";
import { type Bitmap, greyBitmap } from "../components/bitmap.js";

/** Filters of the first layer: those of the layers above are not on pixels. */
export interface PatchFilters {
  readonly layout: PatchLayout;
  /** N×N */
  readonly H: FloatArray;
  /** Its rows over all size² pixels. */
  readonly onPatches: FloatArray;
  /** The stage that has them. */
  readonly stage: number;
  readonly shapes: readonly FilterShape[];
  /** From coarse to fine: indices of rows. */
  readonly order: readonly number[];
}

/**
 * About as many pixels on a side as fit beside another picture: lines between patches vanish where
 * they are shrunk.
 */
const side = 640;
/** A page holds no more; of larger models the coarse ones are shown. */
const mostFilters = 1024;

/** Null where a model has no filters on square patches. */
export function patchFilters(model: Model): PatchFilters | null {
  const layout = readingOf(model)?.layout;
  const stages = stagesOf(model.transform);
  const stage = stages.findIndex((candidate) => "H" in candidate && candidate.H !== null);
  const found = stages.at(stage);
  if (!layout || stage < 0 || !found || !("H" in found) || !found.H) return null;
  const { H } = found;
  const onPatches = filtersOnPatches(H, layout);
  const shapes = filterShapes(onPatches, layout.size);
  const order = filterOrder(shapes).slice(0, mostFilters);
  return { layout, H, onPatches, stage, shapes, order };
}

export interface FilterMosaic {
  readonly bitmap: Bitmap;
  readonly columns: number;
}

export interface MosaicOptions {
  /** Default: as many as rows. */
  readonly columns?: number;
  /** Width of the picture in pixels, at most; default 640. */
  readonly pixels?: number;
}

/** Draws the filters of `order`, each in its own greys, with 0 in the middle. */
export function filterMosaic(
  { values, width, height }: Omit<PixelFilters, "count">,
  order: readonly number[],
  { columns = Math.ceil(Math.sqrt(order.length)), pixels = side }: MosaicOptions = {},
): FilterMosaic {
  const zoom = Math.max(1, Math.floor(pixels / (columns * (width + 1))));
  const sorted = rowsInOrder(values, order, width * height);
  const bitmap = greyBitmap(patchMosaic(sorted, { size: width, height, columns, zoom }));
  return { bitmap, columns };
}

/** Draws the filters of the first layer; null where a model has none. */
export function filterPicture(model: AnyModel): Bitmap | null {
  const filters = filtersOnPixels(model);
  if (!filters) return null;
  const { count, width, values } = filters;
  // Rows of H have no order of their own, maps of a convolution keep theirs.
  const hasMaps = stagesOf(model.transform).some(({ kind }) => kind === "convolution");
  const order = hasMaps
    ? Array.from({ length: count }, (_, k) => k)
    : filterOrder(filterShapes(values, width)).slice(0, mostFilters);
  return filterMosaic(filters, order).bitmap;
}
