/** Filters and samples of a model file, as pictures. */
import {
  type Model,
  type TaskRunner,
  readingOf,
  sample,
  sampleMosaic,
} from "../../../src/index.js";
import { type Bitmap, greyBitmap } from "../../components/bitmap.js";
import { filterPicture } from "../../compute/filter-mosaic.js";
import type { LabJob, Perform } from "../../compute/job.js";
import { readModelFile, whyNoDraws } from "../../compute/model-file.js";

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

const sampleCount = 36;

export const showModel: Perform<ShowModel> = async ({ file, name, seed }, { runner, signal }) => {
  const model = await readModelFile(file, name);
  const notes: string[] = [];
  const filters = filterPicture(model);
  if (!filters) notes.push("This model has no filters on square patches to show.");
  const samples = await samplePicture(runner, model, seed, signal);
  if (typeof samples === "string") notes.push(samples);
  const title = model.about.name ?? "a model without a name";
  return { title, filters, samples: typeof samples === "string" ? null : samples, notes };
};

/** Or why there is none. */
async function samplePicture(
  runner: TaskRunner,
  model: Model,
  seed: number,
  signal: AbortSignal,
): Promise<Bitmap | string> {
  if (!readingOf(model)) return "This model does not say how its dimensions form a square patch.";
  const reason = await whyNoDraws(runner, model);
  if (reason !== null) return reason;
  const x = await sample(runner, model.transform, sampleCount, seed, { signal });
  return greyBitmap(sampleMosaic(x, model));
}
