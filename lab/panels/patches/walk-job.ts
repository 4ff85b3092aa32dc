/** From one sample to another: normal vectors between theirs, and the patches at them. */
import { betweenDraws } from "../../../src/density/between-draws.js";
import { logProb } from "../../../src/density/induced-density.js";
import { densityOf } from "../../../src/density/density-of.js";
import { normalVectors, sampleAt } from "../../../src/density/synthesis.js";
import { GaussianizeError } from "../../../src/errors.js";
import { lengthsOf } from "../../../src/evaluation/gaussianity.js";
import { sampleMosaic } from "../../../src/figures/sample-mosaic.js";
import type { FloatArray } from "../../../src/kernels/kernels.js";
import { type Bitmap, greyBitmap } from "../../components/bitmap.js";
import type { Job } from "../../compute/job.js";
import { whyNoDraws } from "../../compute/model-file.js";
import { type ModelSource, titleOf } from "./model-source.js";
import { openModel } from "./open-model.js";
import { sampleCount } from "./settings.js";

export interface WalkInput {
  readonly model: ModelSource;
  readonly seed: number;
  readonly temperature: number;
  /** Samples, from 0. */
  readonly from: number;
  readonly to: number;
  readonly path: "arc" | "line";
  /** Parts of the way, from 0 to 1. */
  readonly parts: readonly number[];
}

export interface Walk extends Omit<WalkInput, "model"> {
  /** Title of the model. */
  readonly title: string;
  /** Side by side. */
  readonly bitmap: Bitmap;
  /** ‖y‖ of each. */
  readonly lengths: readonly number[];
  /** log p(x) / N in nats; null where it has none in Float32. */
  readonly natsPerDimension: readonly (number | null)[];
  readonly dimension: number;
}

export const walkBetween: Job<WalkInput, Walk> = async (
  { model: source, ...way },
  { runner, signal },
) => {
  const { model } = await openModel(source);
  const reason = await whyNoDraws(densityOf(model, runner), signal);
  if (reason !== null) throw new GaussianizeError("not-invertible", reason);
  const { seed, temperature, parts } = way;
  const { transform } = model;
  const n = transform.dimension;
  const draws = normalVectors(runner, transform, sampleCount, seed, { temperature });
  const [a, b] = [way.from, way.to].map((s) => draws.subarray(s * n, (s + 1) * n));
  const y = runner.kernels.floats(parts.length * n);
  parts.forEach((part, k) => {
    y.set(way.path === "arc" ? betweenDraws(a, b, part) : onLine(a, b, part), k * n);
  });
  const x = await sampleAt(runner, transform, y, { signal });
  const natsPerDimension: (number | null)[] = [];
  for (let k = 0; k < parts.length; k++) {
    const x1 = x.subarray(k * n, (k + 1) * n);
    const [value] = await logProb(runner, transform, x1, { signal }).catch(noDensity);
    natsPerDimension.push(Number.isFinite(value) ? value / n : null);
  }
  const bitmap = greyBitmap(sampleMosaic(x, model, { columns: parts.length }));
  return {
    ...way,
    title: titleOf(source),
    bitmap,
    lengths: [...lengthsOf(y, n)],
    natsPerDimension,
    dimension: n,
  };
};

/** Far out, Float32 may not hold what a density needs; other mistakes are none of the sample. */
function noDensity(error: unknown): readonly number[] {
  if (error instanceof GaussianizeError) return [NaN];
  throw error;
}

function onLine(a: FloatArray, b: FloatArray, part: number): FloatArray {
  return a.map((value, k) => (1 - part) * value + part * b[k]);
}
