/** Filters and samples of a model file, as pictures. */
import {
  type AnyModel,
  GaussianizeError,
  type ImageModel,
  type TaskRunner,
  isImageModel,
  readingOf,
  sample,
  sampleImage,
  sampleMosaic,
} from "../../../src/index.js";
import { type Bitmap, greyBitmap } from "../../components/bitmap.js";
import { filterPicture } from "../../compute/filter-mosaic.js";
import type { LabJob, Perform } from "../../compute/job.js";
import { readAnyModelFile, whyNoDraws } from "../../compute/model-file.js";

export interface ModelPictures {
  /** What the model calls itself. */
  readonly title: string;
  /** That it was fitted for; null where it does not say. */
  readonly steps: number | null;
  /** Of the samples. */
  readonly seed: number;
  readonly filters: Bitmap | null;
  readonly samples: Bitmap | null;
  /** What they are: "36 samples". */
  readonly sampled: string;
  /** Why a picture is missing, as sentences. */
  readonly notes: readonly string[];
}

export type ShowModel = LabJob<
  /** The file, or its address on the server. */
  { readonly file: Blob | string; readonly name: string; readonly seed: number },
  ModelPictures
>;

const sampleCount = 36;
/** About as many pixels on a side of an image that is drawn. */
const imageSide = 192;

export const showModel: Perform<ShowModel> = async ({ file, name, seed }, { runner, signal }) => {
  const model = await readAnyModelFile(await blobOf(file, signal), name);
  signal.throwIfAborted();
  const notes: string[] = [];
  const filters = filterPicture(model);
  if (!filters) notes.push("This model has no filters on pixels to show.");
  const samples = await samplePicture(runner, model, seed, signal);
  if (typeof samples === "string") notes.push(samples);
  return {
    title: model.about.name ?? "a model without a name",
    steps: model.about.training?.steps ?? null,
    ...{ seed, filters },
    samples: typeof samples === "string" ? null : samples,
    sampled: isImageModel(model) ? "A whole image" : `${sampleCount} samples`,
    notes,
  };
};

async function blobOf(file: Blob | string, signal: AbortSignal): Promise<Blob> {
  if (typeof file !== "string") return file;
  const response = await fetch(file, { signal });
  if (response.ok) return response.blob();
  throw new GaussianizeError(await response.text());
}

/** Or why there is none. */
async function samplePicture(
  runner: TaskRunner,
  model: AnyModel,
  seed: number,
  signal: AbortSignal,
): Promise<Bitmap | string> {
  if (!readingOf(model)) return "This model does not say how its dimensions form a square patch.";
  const reason = await whyNoDraws(runner, model, signal);
  if (reason !== null) return reason;
  if (isImageModel(model)) return imagePicture(runner, model, seed, signal);
  const x = await sample(runner, model.transform, sampleCount, seed, { signal });
  return greyBitmap(sampleMosaic(x, model));
}

async function imagePicture(
  runner: TaskRunner,
  model: ImageModel,
  seed: number,
  signal: AbortSignal,
): Promise<Bitmap> {
  const { stride } = model.transform;
  const side = stride * Math.max(1, Math.round(imageSide / stride));
  const size = { width: side, height: side };
  const { pixels } = await sampleImage(runner, model.transform, { ...size, seed, signal });
  return greyBitmap(sampleMosaic(pixels, model, size));
}
