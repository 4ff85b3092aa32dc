/** Draws from a model, and patches of a picture to compare them with. */
import { densityOf } from "../../../src/density/density-of.js";
import type { Model } from "../../../src/density/model-files/model.js";
import { GaussianizeError } from "../../../src/errors.js";
import { sampleMosaic } from "../../../src/figures/sample-mosaic.js";
import type { FloatArray } from "../../../src/kernels/kernels.js";
import { type Bitmap, greyBitmap } from "../../components/bitmap.js";
import type { Job } from "../../compute/job.js";
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
  /** Title of the model. */
  readonly title: string;
  readonly seed: number;
  readonly temperature: number;
  /**
   * How many of all values are below black or above white, and shown as these; null where a model
   * has no black and white.
   */
  readonly clipped: { readonly count: number; readonly of: number } | null;
}

export const drawSamples: Job<
  { readonly model: ModelSource; readonly seed: number; readonly temperature: number },
  ModelDraws
> = async (input, { runner, signal }) => {
  const { model } = await openModel(input.model);
  const density = densityOf(model, runner);
  const reason = await whyNoDraws(density, signal);
  if (reason !== null) throw new GaussianizeError("not-invertible", reason);
  const { seed, temperature } = input;
  const x = await density.sample(sampleCount, { seed, temperature, signal });
  return {
    ...drawsOf(greyBitmap(sampleMosaic(x, model))),
    title: titleOf(input.model),
    seed,
    temperature,
    clipped: clippedOf(x, model),
  };
};

function clippedOf(x: FloatArray, { about }: Model): ModelDraws["clipped"] {
  const { black, white } = about.patch ?? {};
  if (black === undefined || white === undefined) return null;
  return { count: x.filter((value) => value < black || value > white).length, of: x.length };
}

/** Cuts patches as the model reads them, and shows them as its samples. */
export const cutPatches: Job<
  { readonly model: ModelSource; readonly picture: NamedFile; readonly seed: number },
  Draws
> = async (input, { signal }) => {
  const { model, reading } = await openModel(input.model);
  const image = await openPicture(input.picture, reading);
  signal.throwIfAborted();
  const x = randomSamples(image, reading, sampleCount, input.seed);
  return drawsOf(greyBitmap(sampleMosaic(x, model)));
};

function drawsOf(bitmap: Bitmap): Draws {
  return { bitmap, columns: Math.ceil(Math.sqrt(sampleCount)) };
}
