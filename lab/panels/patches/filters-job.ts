/** Job: draws the filters of a model, and describes each of them. */
import { imageResponses } from "../../../src/density/images/image-responses.js";
import {
  type ImageModel,
  isMixtureModel,
  noSingleTransform,
} from "../../../src/density/model-files/model.js";
import { synthesize } from "../../../src/density/synthesis.js";
import { GaussianizeError } from "../../../src/errors.js";
import type { FilterShape } from "../../../src/evaluation/filter-shapes.js";
import { modelContributions, poolContributions } from "../../../src/evaluation/pooling.js";
import { convolutionsOf } from "../../../src/evaluation/receptive-fields.js";
import type { PixelFilters } from "../../../src/figures/filters-on-pixels.js";
import type { FloatArray } from "../../../src/kernels/kernels.js";
import type { TaskRunner } from "../../../src/parallel/job.js";
import { samplesToPatches } from "../../../src/patches/patch-layout.js";
import { stagesOf } from "../../../src/transforms/cascade.js";
import type { Gdn } from "../../../src/transforms/gdn.js";
import type { GdnStructure } from "../../../src/transforms/gdn-structures.js";
import { imageCascade } from "../../../src/transforms/image-cascade.js";
import { linear } from "../../../src/transforms/linear.js";
import {
  type FilterMosaic,
  type PatchFilters,
  filterMosaic,
  patchFilters,
} from "../../compute/filter-mosaic.js";
import { imageFilters } from "../../compute/image-filters.js";
import type { Job } from "../../compute/job.js";
import { LastOnes } from "../../compute/last-ones.js";
import type { NamedFile } from "../../named-file.js";
import { type ModelSource, keyOfModel, titleOf } from "./model-source.js";
import {
  type OpenModel,
  isOfImages,
  openAnyModel,
  openMiddle,
  openPicture,
  randomSamples,
} from "./open-sources.js";

type Shown = "filters" | "basis";

export interface ViewedFilters extends FilterMosaic {
  /** Title of the model. */
  readonly title: string;
  readonly subject: "patches" | "images";
  readonly shown: Shown;
  /** Whether greys show square roots of weights. */
  readonly hasRoots: boolean;
  /** Side of a filter in pixels. */
  readonly side: number;
  /** Rows of H, or maps of the first convolution, in the order of the mosaic. */
  readonly order: readonly number[];
  /** Shape of each filter. */
  readonly shapes: readonly FilterShape[];
  /** Null if the filters do not belong to a GDN. */
  readonly structure: GdnStructure | null;
}

/** Whole images have no basis functions to show. */
export const viewFilters: Job<
  { readonly model: ModelSource; readonly shown: Shown; readonly hasRoots: boolean },
  ViewedFilters
> = async ({ model, shown, hasRoots }, { runner, signal }) => {
  const { onPixels, patches, order, shapes, layer } = await openFilters(model);
  const basis = shown === "basis" && patches ? await basisOf(runner, patches, signal) : null;
  signal.throwIfAborted();
  return {
    ...filterMosaic(basis ? { ...onPixels, values: basis } : onPixels, order, { hasRoots }),
    title: titleOf(model),
    subject: patches ? "patches" : "images",
    shown: basis ? "basis" : "filters",
    hasRoots,
    side: onPixels.width,
    order,
    shapes,
    structure: layer?.structure ?? null,
  };
};

/** Filters of a model of patches or of whole images, and the GDN that divides their responses. */
export interface OpenFilters {
  readonly onPixels: PixelFilters;
  /** Null for whole images. */
  readonly patches: PatchFilters | null;
  readonly shapes: readonly FilterShape[];
  readonly order: readonly number[];
  readonly layer: Gdn | null;
  /** Returns the mean contributions to the pools, `poolContributions`, on a picture. */
  readonly contributions: (runner: TaskRunner, picture: NamedFile) => Promise<Float64Array>;
}

/** Keeps the shapes of the filters, which are slow to compute. */
const opened = new LastOnes<OpenFilters>(2);

export function openFilters(source: ModelSource): Promise<OpenFilters> {
  return opened.get(keyOfModel(source), async () => {
    const found = await openAnyModel(source);
    if (isMixtureModel(found.model)) {
      throw noSingleTransform("filters belong to one", titleOf(source));
    }
    const filters = isOfImages(found)
      ? await filtersOfImages(found)
      : filtersOfPatches(found as OpenModel);
    if (filters) return filters;
    throw new GaussianizeError("invalid-argument", "This model has no filters to show.");
  });
}

/** Number of patches for the means of |z|^α. */
const patchesOfMeans = 1000;

function filtersOfPatches({ model, reading }: OpenModel): OpenFilters | null {
  const patches = patchFilters(model);
  if (!patches) return null;
  const { shapes, order, layout, onPatches } = patches;
  const stage = stagesOf(model.transform)[patches.stage];
  const { size } = layout;
  return {
    onPixels: { count: shapes.length, width: size, height: size, values: onPatches },
    patches,
    shapes,
    order,
    layer: stage.kind === "gdn" ? stage : null,
    async contributions(runner, picture) {
      const image = await openPicture(picture, reading);
      return modelContributions(runner, model, randomSamples(image, reading, patchesOfMeans, 1));
    },
  };
}

/** Side of the part of a picture for the means of |z|^α, in pixels. */
const sideOfMeans = 512;

async function filtersOfImages(found: OpenModel<ImageModel>): Promise<OpenFilters | null> {
  const filters = await imageFilters(found.model);
  if (!filters) return null;
  const { stride, stages } = found.model.transform;
  const [first] = convolutionsOf(found.model.transform);
  const next = stages.at(first + 1);
  const layer = next?.kind === "gdn" ? next : null;
  return {
    ...filters,
    patches: null,
    layer,
    async contributions(runner, picture) {
      const { image } = await openMiddle(picture, found, sideOfMeans);
      const before = imageCascade({ stride, stages: stages.slice(0, first + 1) });
      const z = (await imageResponses(runner, before, image))[first];
      return layer ? poolContributions(layer, z.values) : new Float64Array();
    },
  };
}

/** Returns the columns of H⁻¹ as patches: column i gives response 1 to filter i, 0 to others. */
async function basisOf(
  runner: TaskRunner,
  { H, layout }: PatchFilters,
  signal: AbortSignal,
): Promise<FloatArray> {
  const n = Math.sqrt(H.length);
  const units = new Float32Array(n * n);
  for (let i = 0; i < n; i++) units[i * (n + 1)] = 1;
  const { x } = await synthesize(runner, linear({ dimension: n, H }), units, { signal });
  return samplesToPatches(Float32Array.from(x), layout);
}
