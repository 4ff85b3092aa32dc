/** Job: draws the filters of a model, and describes each of them. */
import { synthesize } from "../../../src/density/synthesis.js";
import { GaussianizeError } from "../../../src/errors.js";
import type { FilterShape } from "../../../src/evaluation/filter-shapes.js";
import type { FloatArray, GdnParameters } from "../../../src/kernels/kernels.js";
import type { TaskRunner } from "../../../src/parallel/job.js";
import { samplesToPatches } from "../../../src/patches/patch-layout.js";
import { stagesOf } from "../../../src/transforms/cascade.js";
import { type GdnStructure, spreadOverEntries } from "../../../src/transforms/gdn-structures.js";
import { linear } from "../../../src/transforms/linear.js";
import {
  type FilterMosaic,
  type PatchFilters,
  filterMosaic,
  patchFilters,
} from "../../compute/filter-mosaic.js";
import type { Job } from "../../compute/job.js";
import { LastOnes } from "../../compute/last-ones.js";
import { type ModelSource, keyOfModel, titleOf } from "./model-source.js";
import { openModel } from "./open-sources.js";

type Shown = "filters" | "basis";

export interface ViewedFilters extends FilterMosaic {
  /** Title of the model. */
  readonly title: string;
  readonly shown: Shown;
  /** Rows of H in the order of the mosaic. */
  readonly order: readonly number[];
  /** Shape of each row of H. */
  readonly shapes: readonly FilterShape[];
  /** Null if the filters do not belong to a GDN. */
  readonly structure: GdnStructure | null;
}

export const viewFilters: Job<
  { readonly model: ModelSource; readonly shown: Shown },
  ViewedFilters
> = async ({ model, shown }, { runner, signal }) => {
  const { filters, structure } = await openFilters(model);
  const patches = shown === "filters" ? filters.onPatches : await basisOf(runner, filters, signal);
  signal.throwIfAborted();
  const { order, shapes, layout } = filters;
  return {
    ...filterMosaic({ values: patches, width: layout.size, height: layout.size }, order),
    title: titleOf(model),
    shown,
    order,
    shapes,
    structure,
  };
};

/** Keeps the shapes of the filters, which are slow to compute. */
const opened = new LastOnes<OpenFilters>(2);

export function openFilters(source: ModelSource): Promise<OpenFilters> {
  return opened.get(keyOfModel(source), () => filtersOf(source));
}

async function filtersOf(source: ModelSource) {
  const { model, reading } = await openModel(source);
  const filters = patchFilters(model);
  if (!filters) {
    throw new GaussianizeError("invalid-argument", "This model has no filters to show.");
  }
  const stage = stagesOf(model.transform)[filters.stage];
  const layer = stage.kind === "gdn" ? stage : null;
  const entries: GdnParameters | null = layer && spreadOverEntries(layer);
  return { model, reading, filters, structure: layer?.structure ?? null, entries };
}

type OpenFilters = Awaited<ReturnType<typeof filtersOf>>;

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
