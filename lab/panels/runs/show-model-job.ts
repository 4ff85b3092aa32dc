/** Filters and samples of a model file, as pictures. */
import {
  GaussianizeError,
  type Model,
  type TaskRunner,
  decodeModel,
  filtersOnPatches,
  patchMosaic,
  readingOf,
  requirePatchModel,
  sample,
  sampleMosaic,
  stagesOf,
  verify,
} from "../../../src/index.js";
import { type Bitmap, greyBitmap } from "../../components/bitmap.js";
import type { LabJob, Perform } from "../../compute/job.js";

export interface ModelPictures {
  /** What the model calls itself. */
  readonly title: string;
  readonly filters: Bitmap | null;
  readonly samples: Bitmap | null;
  /** Why a picture is missing, as sentences. */
  readonly notes: readonly string[];
}

export type ShowModel = LabJob<
  { readonly file: Blob; readonly name: string; readonly seed: number },
  ModelPictures
>;

const mostBytes = 2 ** 28;
const sampleCount = 36;
/** About as many pixels on a side as fit beside another picture. */
const side = 640;

export const showModel: Perform<ShowModel> = async ({ file, name, seed }, { runner, signal }) => {
  if (file.size > mostBytes) throw new GaussianizeError(`${name} is too large for this page.`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const model = requirePatchModel(decodeModel(bytes, name), name);
  const notes: string[] = [];
  const filters = filterPicture(model);
  if (!filters) notes.push("This model has no filters on square patches to show.");
  const samples = await samplePicture(runner, model, seed, signal);
  if (typeof samples === "string") notes.push(samples);
  const title = model.about.name ?? "a model without a name";
  return { title, filters, samples: typeof samples === "string" ? null : samples, notes };
};

/** Of the first layer: filters of those above are not on pixels. */
export function filterPicture(model: Model): Bitmap | null {
  const layout = readingOf(model)?.layout;
  const stage = stagesOf(model.transform).find((candidate) => "H" in candidate && candidate.H);
  if (!layout || !stage || !("H" in stage) || !stage.H) return null;
  const { size } = layout;
  const columns = Math.ceil(Math.sqrt(model.transform.dimension));
  const zoom = Math.max(1, Math.floor(side / (columns * (size + 1))));
  return greyBitmap(patchMosaic(filtersOnPatches(stage.H, layout), { size, columns, zoom }));
}

/** Or why there is none. */
async function samplePicture(
  runner: TaskRunner,
  model: Model,
  seed: number,
  signal: AbortSignal,
): Promise<Bitmap | string> {
  if (!readingOf(model)) return "This model does not say how its dimensions form a square patch.";
  const { invertible } = await verify(runner, model.transform, null);
  if (!invertible) return "This model is not onto: there is no density to draw from.";
  const x = await sample(runner, model.transform, sampleCount, seed, { signal });
  return greyBitmap(sampleMosaic(x, model));
}
