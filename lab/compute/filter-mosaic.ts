/** Pictures of the filters of a model. */
import { readingOf } from "../../src/density/model-files/model-reading.js";
import { soundStages } from "../../src/density/model-files/model-file.js";
import type { AnyModel, Model } from "../../src/density/model-files/model.js";
import { type FilterShape, filterOrder, filterShapes } from "../../src/evaluation/filter-shapes.js";
import { type PixelFilters, filtersOnPixels } from "../../src/figures/filters-on-pixels.js";
import { patchMosaic, rowsInOrder } from "../../src/figures/mosaics.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import { type PatchLayout, filtersOnPatches } from "../../src/patches/patch-layout.js";
import { stagesOf } from "../../src/transforms/cascade.js";
import { type Bitmap, greyBitmap } from "../components/bitmap.js";

/** Filters of the first layer. Those of later layers do not act on pixels. */
export interface PatchFilters {
  readonly layout: PatchLayout;
  /** N×N */
  readonly H: FloatArray;
  /** Rows of H over all size² pixels. */
  readonly onPatches: FloatArray;
  /** Index of the stage with H. */
  readonly stage: number;
  readonly shapes: readonly FilterShape[];
  /** Indices of rows, from coarse to fine. */
  readonly order: readonly number[];
}

/**
 * Width of a mosaic in pixels: about its width on the page, because shrinking removes the lines
 * between patches.
 */
const side = 640;
/** Larger models show their coarsest filters. */
const mostFilters = 1024;

/** Returns null if the model has no filters on square patches. */
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
  /** Default: as many columns as rows. */
  readonly columns?: number;
  /** Largest width of the picture in pixels; default 640. */
  readonly pixels?: number;
  /** Whether greys show square roots of weights, so that small ones are visible; default false. */
  readonly hasRoots?: boolean;
}

/** Draws the filters in `order`, each on its own grey scale with 0 in the middle. */
export function filterMosaic(
  { values, width, height }: Omit<PixelFilters, "count">,
  order: readonly number[],
  options: MosaicOptions = {},
): FilterMosaic {
  const { columns = Math.ceil(Math.sqrt(order.length)), pixels = side, hasRoots } = options;
  const zoom = Math.max(1, Math.floor(pixels / (columns * (width + 1))));
  const sorted = rowsInOrder(values, order, width * height);
  const shown = hasRoots
    ? sorted.map((weight) => Math.sign(weight) * Math.sqrt(Math.abs(weight)))
    : sorted;
  const bitmap = greyBitmap(patchMosaic(shown, { size: width, height, columns, zoom }));
  return { bitmap, columns };
}

/** Draws the filters of the first layer; returns null if there are none. */
export function filterPicture(model: AnyModel): Bitmap | null {
  const filters = filtersOnPixels(model);
  if (!filters) return null;
  const { count, width, values } = filters;
  // The rows of H are unordered; the maps of a convolution keep their order.
  const hasMaps = soundStages(model).some(({ kind }) => kind === "convolution");
  const order = hasMaps
    ? Array.from({ length: count }, (_, k) => k)
    : filterOrder(filterShapes(values, width)).slice(0, mostFilters);
  return filterMosaic(filters, order).bitmap;
}
