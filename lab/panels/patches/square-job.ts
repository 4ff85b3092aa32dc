/**
 * Job: samples of a model on a square, for the front page of the documentation. Each corner is the
 * normal vector of a sample. The vectors between them are normal, too, so that every place of the
 * square is a sample.
 */
import { betweenDraws } from "../../../src/density/between-draws.js";
import { normalVectors, sampleAt } from "../../../src/density/synthesis.js";
import { lengthsOf } from "../../../src/evaluation/gaussianity.js";
import { sampleMosaic } from "../../../src/figures/sample-mosaic.js";
import { type Bitmap, greyBitmap } from "../../components/bitmap.js";
import type { Job } from "../../compute/job.js";
import type { ModelSource } from "./model-source.js";
import { openModel } from "./open-sources.js";
import { openDensity } from "./samples-job.js";

interface SquareInput {
  readonly model: ModelSource;
  readonly seed: number;
  readonly places: readonly SquarePlace[];
  /** Number of columns of the bitmap. */
  readonly columns: number;
}

/** From 0 at the left and top to 1 at the right and bottom. */
export interface SquarePlace {
  readonly across: number;
  readonly down: number;
}

interface SquareSamples {
  readonly places: readonly SquarePlace[];
  readonly bitmap: Bitmap;
  /** ‖y‖ of each sample. */
  readonly lengths: readonly number[];
  readonly dimension: number;
}

const corners = 4;

export const sampleOnSquare: Job<SquareInput, SquareSamples> = async (input, job) => {
  const { runner, signal } = job;
  const { model } = await openDensity(await openModel(input.model), job);
  const { transform } = model;
  const n = transform.dimension;
  const draws = normalVectors(runner, transform, corners, input.seed, {});
  const [topLeft, topRight, bottomLeft, bottomRight] = Array.from({ length: corners }, (_, k) =>
    draws.subarray(k * n, (k + 1) * n),
  );
  const { places, columns } = input;
  const y = runner.kernels.floats(places.length * n);
  places.forEach(({ across, down }, k) => {
    const top = betweenDraws(topLeft, topRight, across);
    const bottom = betweenDraws(bottomLeft, bottomRight, across);
    y.set(betweenDraws(top, bottom, down), k * n);
  });
  const x = await sampleAt(runner, transform, y, { signal });
  return {
    places,
    bitmap: greyBitmap(sampleMosaic(x, model, { columns })),
    lengths: [...lengthsOf(y, n)],
    dimension: n,
  };
};
