import { type AnyModel, isImageModel, isMixtureModel } from "../density/model-files/model.js";
import { readingOf } from "../density/model-files/model-reading.js";
import type { FloatArray } from "../kernels/kernels.js";
import { filtersOnPatches } from "../patches/patch-layout.js";
import { stagesOf } from "../transforms/cascade.js";
import { filtersOf } from "../transforms/convolutions/filter-bank.js";

export interface PixelFilters {
  readonly count: number;
  /** Size of each filter in pixels. */
  readonly width: number;
  readonly height: number;
  /** count × height × width */
  readonly values: FloatArray;
}

/**
 * Returns the filters of the first layer of a model, the only ones that see pixels: the rows of H,
 * or the filters of the first convolution. Undefined if there are none, or if the model does not
 * define how its dimensions form a patch. Mixtures have no single first layer, and no filters here.
 */
export function filtersOnPixels(model: AnyModel): PixelFilters | undefined {
  if (isImageModel(model)) {
    const first = model.transform.stages.find((stage) => stage.kind === "convolution");
    if (!first) return undefined;
    const { width, height, filters } = filtersOf(first);
    return { count: first.maps, width, height, values: filters };
  }
  if (isMixtureModel(model)) return undefined;
  const layout = readingOf(model)?.layout;
  const stage = stagesOf(model.transform).find((candidate) => "H" in candidate && candidate.H);
  if (!layout || !stage || !("H" in stage) || !stage.H) return undefined;
  const { size } = layout;
  const values = filtersOnPatches(stage.H, layout);
  return { count: model.transform.dimension, width: size, height: size, values };
}
