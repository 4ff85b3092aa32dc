/** Draws from a model, and patches of a picture to compare them with. */
import {
  type FloatArray,
  GaussianizeError,
  type Model,
  sample,
  sampleMosaic,
} from "../../../src/index.js";
import { type Bitmap, greyBitmap } from "../../components/bitmap.js";
import type { LabJob, Perform } from "../../compute/job.js";
import { whyNoDraws } from "../../compute/model-file.js";
import type { NamedFile } from "../../named-file.js";
import { type ModelSource, titleOf } from "./model-source.js";
import { openModel } from "./open-model.js";
import { openPicture, randomSamples } from "./picture-source.js";
import { sampleCount } from "./settings.js";

export interface Draws {
  readonly bitmap: Bitmap;
  readonly columns: number;
}

export interface ModelDraws extends Draws {
  /** Of the model. */
  readonly title: string;
  readonly seed: number;
  readonly temperature: number;
  /** How many of all values are below black or above white, and shown as these; null where a model has no black and white. */
  readonly clipped: { readonly count: number; readonly of: number } | null;
}

export type DrawSamples = LabJob<
  { readonly model: ModelSource; readonly seed: number; readonly temperature: number },
  ModelDraws
>;

export const drawSamples: Perform<DrawSamples> = async (input, { runner, signal }) => {
  const { model } = await openModel(input.model);
  const reason = await whyNoDraws(runner, model, signal);
  if (reason !== null) throw new GaussianizeError(reason);
  const { seed, temperature } = input;
  const x = await sample(runner, model.transform, sampleCount, seed, { signal, temperature });
  return {
    ...drawsOf(greyBitmap(sampleMosaic(x, model))),
    ...{ title: titleOf(input.model), seed, temperature, clipped: clippedOf(x, model) },
  };
};

function clippedOf(x: FloatArray, { about }: Model): ModelDraws["clipped"] {
  const { black, white } = about.patch ?? {};
  if (black === undefined || white === undefined) return null;
  return { count: x.filter((value) => value < black || value > white).length, of: x.length };
}

export type CutPatches = LabJob<
  { readonly model: ModelSource; readonly picture: NamedFile; readonly seed: number },
  Draws
>;

/** As the model reads them, shown as its samples are. */
export const cutPatches: Perform<CutPatches> = async (input, { signal }) => {
  const { model, reading } = await openModel(input.model);
  const image = await openPicture(input.picture, reading);
  signal.throwIfAborted();
  const x = randomSamples(image, reading, sampleCount, input.seed);
  return drawsOf(greyBitmap(sampleMosaic(x, model)));
};

function drawsOf(bitmap: Bitmap): Draws {
  return { bitmap, columns: Math.ceil(Math.sqrt(sampleCount)) };
}
