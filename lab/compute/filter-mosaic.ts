/** The filters of a model as a picture. */
import {
  type AnyModel,
  type FilterShape,
  type FloatArray,
  type ImageModel,
  type Model,
  type PatchLayout,
  filterOrder,
  filterShapes,
  filtersOnPatches,
  filtersOnPixels,
  isImageModel,
  patchMosaic,
  readingOf,
  rowsInOrder,
  stagesOf,
} from "../../src/index.js";
import { type Bitmap, greyBitmap } from "../components/bitmap.js";

/** Of the first layer: filters of those above are not on pixels. */
export interface PatchFilters {
  readonly layout: PatchLayout;
  /** N×N */
  readonly H: FloatArray;
  /** Its rows over all size² pixels. */
  readonly onPatches: FloatArray;
  /** Which stage has them. */
  readonly stage: number;
  readonly shapes: readonly FilterShape[];
  /** From coarse to fine: indices of rows. */
  readonly order: readonly number[];
}

/** About as many pixels on a side as fit beside another picture: lines between patches vanish where they are shrunk. */
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

/** Pictures of size² values each, those of `order`; every one in its own greys, 0 in the middle. At most about so many `pixels` wide. */
export function filterMosaic(
  patches: FloatArray,
  size: number,
  order: readonly number[],
  columns = Math.ceil(Math.sqrt(order.length)),
  pixels = side,
): FilterMosaic {
  const zoom = Math.max(1, Math.floor(pixels / (columns * (size + 1))));
  const sorted = rowsInOrder(patches, order, size * size);
  return { bitmap: greyBitmap(patchMosaic(sorted, { size, columns, zoom })), columns };
}

/** Those of the first layer; null where a model has none. */
export function filterPicture(model: AnyModel): Bitmap | null {
  if (isImageModel(model)) return imageFilterPicture(model);
  const found = patchFilters(model);
  return found && filterMosaic(found.onPatches, found.layout.size, found.order).bitmap;
}

function imageFilterPicture(model: ImageModel): Bitmap | null {
  const filters = filtersOnPixels(model);
  if (!filters) return null;
  const { count, width, height, values } = filters;
  const columns = Math.ceil(Math.sqrt(count));
  const zoom = Math.max(1, Math.floor(side / (columns * (width + 1))));
  return greyBitmap(patchMosaic(values, { size: width, height, columns, zoom }));
}
