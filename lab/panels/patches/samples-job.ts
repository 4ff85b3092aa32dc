/** Jobs: samples of a model, patches of a picture for comparison, and walks between samples. */
import { betweenDraws } from "../../../src/density/between-draws.js";
import { densityOf } from "../../../src/density/density-of.js";
import { logProb } from "../../../src/density/induced-density.js";
import type { AnyModel, Model, PatchModel } from "../../../src/density/model-files/model.js";
import { normalVectors, sampleAt } from "../../../src/density/synthesis.js";
import { GaussianizeError } from "../../../src/errors.js";
import { lengthsOf } from "../../../src/evaluation/gaussianity.js";
import { sampleMosaic } from "../../../src/figures/sample-mosaic.js";
import type { FloatArray } from "../../../src/kernels/kernels.js";
import { type Bitmap, greyBitmap } from "../../components/bitmap.js";
import type { Place } from "../../components/drag.js";
import type { Job, JobContext } from "../../compute/job.js";
import { whyNoDraws } from "../../compute/model-file.js";
import type { NamedFile } from "../../named-file.js";
import { planeAt } from "../../plane/normal-plane.js";
import { drawnModel, shownSamples } from "./hot-samples.js";
import { type ModelSource, titleOf } from "./model-source.js";
import {
  type OpenModel,
  openModel,
  openPatchModel,
  openPicture,
  randomSamples,
} from "./open-sources.js";
import { sampleCount } from "./settings.js";

export interface DrawInput {
  readonly model: ModelSource;
  readonly seed: number;
  readonly temperature: number;
}

export interface ModelDraws extends Omit<DrawInput, "model"> {
  /** Title of the model. */
  readonly title: string;
  readonly bitmap: Bitmap;
  /** Null if the model does not define black and white. */
  readonly clipped: Clipped | null;
}

/** Number of values outside black and white. */
export interface Clipped {
  readonly count: number;
  readonly of: number;
}

export const drawSamples: Job<DrawInput, ModelDraws> = async ({ model: source, ...draw }, job) => {
  const { runner, signal } = job;
  const { model, density } = await openDensity(await openPatchModel(source), job);
  const drawn = drawnModel(model, draw.temperature);
  const from = drawn === model ? density : densityOf(drawn, runner);
  const x = await from.sample(sampleCount, { ...draw, signal });
  return {
    ...draw,
    title: titleOf(source),
    bitmap: greyBitmap(sampleMosaic(shownAs(drawn, x, draw.temperature), drawn)),
    clipped: clippedOf(x, drawn),
  };
};

/** Returns samples with the values that are drawn. */
function shownAs(model: PatchModel, x: FloatArray, temperature: number): FloatArray {
  return shownSamples(x, model, { temperature, dimension: model.transform.dimension });
}

/** @throws GaussianizeError if the model is not a density that can be sampled */
export async function openDensity<M extends PatchModel>(
  { model }: OpenModel<M>,
  { runner, signal }: Pick<JobContext<never>, "runner" | "signal">,
) {
  const density = densityOf(model, runner);
  const reason = await whyNoDraws(density, signal);
  if (reason !== null) throw new GaussianizeError("not-invertible", reason);
  return { model, density };
}

export function clippedOf(x: FloatArray, { about }: AnyModel): Clipped | null {
  const { black, white } = about.patch ?? {};
  if (black === undefined || white === undefined) return null;
  return { count: x.filter((value) => value < black || value > white).length, of: x.length };
}

/** Cuts patches as the model reads them, and draws them like its samples. */
export const cutPatches: Job<
  { readonly model: ModelSource; readonly picture: NamedFile; readonly seed: number },
  Bitmap
> = async (input, { signal }) => {
  const { model, reading } = await openPatchModel(input.model);
  const image = await openPicture(input.picture, reading);
  signal.throwIfAborted();
  const x = randomSamples(image, reading, sampleCount, input.seed);
  return greyBitmap(sampleMosaic(x, model));
};

interface EndsInput extends DrawInput {
  /** Samples, from 0. */
  readonly from: number;
  readonly to: number;
}

interface WalkInput extends EndsInput {
  readonly path: "arc" | "line";
  /** Positions on the path, from 0 to 1. */
  readonly parts: readonly number[];
}

export interface Walk extends Omit<WalkInput, "model"> {
  /** Title of the model. */
  readonly title: string;
  /** The patches, side by side. */
  readonly bitmap: Bitmap;
  /** ‖y‖ of each patch. */
  readonly lengths: readonly number[];
  /** log p(x) / N in nats; null if it cannot be computed in Float32. */
  readonly natsPerDimension: readonly (number | null)[];
  readonly dimension: number;
}

/** Returns the patches of normal vectors between those of two samples. */
export const walkBetween: Job<WalkInput, Walk> = async ({ model: source, ...way }, job) => {
  const { runner, signal } = job;
  const { model } = await openDensity(await openModel(source), job);
  const { parts } = way;
  const { transform } = model;
  const n = transform.dimension;
  const { a, b, drawn } = endsOf(model, way, job);
  const y = runner.kernels.floats(parts.length * n);
  parts.forEach((part, k) => {
    y.set(way.path === "arc" ? betweenDraws(a, b, part) : onLine(a, b, part), k * n);
  });
  const x = await sampleAt(runner, transform, y, { signal });
  const shown = drawn === model ? x : await sampleAt(runner, drawn.transform, y, { signal });
  const natsPerDimension: (number | null)[] = [];
  for (let k = 0; k < parts.length; k++) {
    const x1 = x.subarray(k * n, (k + 1) * n);
    const [value] = await logProb(runner, transform, x1, { signal }).catch(noDensity);
    natsPerDimension.push(Number.isFinite(value) ? value / n : null);
  }
  return {
    ...way,
    title: titleOf(source),
    bitmap: greyBitmap(
      sampleMosaic(shownAs(drawn, shown, way.temperature), drawn, { columns: parts.length }),
    ),
    lengths: [...lengthsOf(y, n)],
    natsPerDimension,
    dimension: n,
  };
};

/** Returns the normal vectors of both samples, and the model that is drawn. */
function endsOf(
  model: Model,
  { seed, temperature, from, to }: Omit<EndsInput, "model">,
  { runner }: Pick<JobContext<never>, "runner">,
) {
  const drawn = drawnModel(model, temperature);
  const { transform } = drawn;
  const n = transform.dimension;
  const draws = normalVectors(runner, transform, sampleCount, seed, { temperature });
  const [a, b] = [from, to].map((s) => draws.subarray(s * n, (s + 1) * n));
  return { a, b, drawn };
}

interface PlaneInput extends EndsInput {
  readonly places: readonly Place[];
}

/** Draws the patches at places of the plane through two samples, in a square. */
export const walkOnPlane: Job<PlaneInput, Bitmap> = async ({ model: source, ...way }, job) => {
  const { runner, signal } = job;
  const { model } = await openDensity(await openModel(source), job);
  const { a, b, drawn } = endsOf(model, way, job);
  const { transform } = drawn;
  const n = transform.dimension;
  const y = runner.kernels.floats(way.places.length * n);
  way.places.forEach((place, k) => {
    y.set(planeAt(a, b, place), k * n);
  });
  const x = await sampleAt(runner, transform, y, { signal });
  return greyBitmap(sampleMosaic(shownAs(drawn, x, way.temperature), drawn));
};

/** Far from the data, the log-density may not be computable in Float32. */
function noDensity(error: unknown): readonly number[] {
  if (error instanceof GaussianizeError) return [NaN];
  throw error;
}

function onLine(a: FloatArray, b: FloatArray, part: number): FloatArray {
  return a.map((value, k) => (1 - part) * value + part * b[k]);
}
