/** Synthesis: whole images from normal fields. */
import { GaussianizeError } from "../../errors.js";
import type { GreyPixels } from "../../images/grey-image.js";
import type { TaskRunner } from "../../parallel/job.js";
import { type Seed, createRandom } from "../../random/random-stream.js";
import { checkFields } from "../../transforms/checks.js";
import {
  type Field,
  fieldToImage,
  requireBlocks,
  requireField,
  wholeBlocks,
} from "../../transforms/field.js";
import { type ImageCascade, partsOf, requireImageCascade } from "../../transforms/image-cascade.js";
import { checkCall } from "../batch-passes.js";
import { type SynthesisOptions, requireTemperature, synthesize } from "../synthesis.js";
import { inverseField } from "./convolution-passes.js";
import { type ImagePassOptions, partsInTurn } from "./image-density.js";

/** Options of the inversion, as for patches but without progress. */
export type ImageSynthesisOptions = Omit<SynthesisOptions, "onProgress">;

export interface SynthesizedImage {
  readonly image: GreyPixels;
  /** Number of locations, over all stages, without an inverse; if any, x is not the image of y. */
  readonly unconverged: number;
  /** Largest residual of any location and stage, as in `synthesize`; convolutions count as 0. */
  readonly residual: number;
}

/**
 * Returns the image x with g(x; θ) = y. Convolutions are inverted in the Fourier domain, all other
 * stages at each location.
 */
export async function synthesizeImage(
  runner: TaskRunner,
  given: ImageCascade,
  y: Field,
  options: ImageSynthesisOptions = {},
): Promise<SynthesizedImage> {
  checkCall(runner, options, "method", "tolerance", "maximumIterations");
  const cascade = requireImageCascade(given);
  requireField(y, "y", cascade.stride * cascade.stride);
  const { image, lost, residual } = await synthesizeField(runner, cascade, y, options);
  return { image, unconverged: lost.length, residual };
}

interface SynthesizedField extends Pick<SynthesizedImage, "image" | "residual"> {
  /** Locations without an inverse, once for each stage that has none. */
  readonly lost: readonly number[];
}

async function synthesizeField(
  runner: TaskRunner,
  cascade: ImageCascade,
  y: Field,
  { onPart, ...options }: ImageSynthesisOptions & ImagePassOptions,
): Promise<SynthesizedField> {
  let field = y;
  const lost: number[] = [];
  let residual = 0;
  const parts = [...partsOf(cascade)].reverse();
  const report = partsInTurn(parts, onPart);
  const { signal } = options;
  for (const { transform } of parts) {
    signal?.throwIfAborted();
    if (transform.kind === "convolution") {
      field = await inverseField(runner, transform, field, { signal, onPart: report() });
      continue;
    }
    const found = await synthesize(runner, transform, field.values, options);
    field = { ...field, values: found.x };
    found.converged.forEach((ok, location) => {
      if (ok === 0) lost.push(location);
    });
    residual = found.residual.reduce((a, b) => Math.max(a, b), residual);
  }
  return { image: fieldToImage(field), lost, residual };
}

export interface ImageSampleOptions extends ImagePassOptions {
  /** Width in pixels, a multiple of the stride. */
  readonly width: number;
  /** Height in pixels, a multiple of the stride. */
  readonly height: number;
  readonly seed: Seed;
  /** Factor of the normal field, default 1. */
  readonly temperature?: number;
}

/** Returns the usual side of a sampled image in pixels: about 256, a multiple of the stride. */
export function usualSide(stride: number): number {
  return wholeBlocks(256, stride);
}

/** Most attempts to draw locations without an inverse again. */
const mostRounds = 20;

/**
 * Draws an image from the density; the same seed gives the same image. A location whose inverse
 * exceeds the range of Float32, from a heavy tail, is drawn again: the filters would spread it over
 * the image.
 */
export async function sampleImage(
  runner: TaskRunner,
  given: ImageCascade,
  options: ImageSampleOptions,
): Promise<GreyPixels> {
  const fields = ["width", "height", "seed", "temperature", "signal", "onPart"];
  checkFields("the options", options, fields);
  const { width, height, seed, temperature = 1, signal, onPart } = options;
  requireTemperature(temperature);
  const cascade = requireImageCascade(given);
  const size = requireBlocks({ width, height }, cascade.stride);
  const maps = cascade.stride * cascade.stride;
  const values = new Float64Array(width * height);
  createRandom(seed, "sample-image").normalFill(values);
  let lost: readonly number[] = [];
  for (let round = 0; round < mostRounds; round++) {
    for (const location of new Set(lost)) {
      const random = createRandom(seed, "sample-image", "again", round, location);
      random.normalFill(values.subarray(location * maps, (location + 1) * maps));
    }
    const y = { ...size, maps, values: values.map((value) => value * temperature) };
    const drawn = await synthesizeBothWays(runner, cascade, y, { signal, onPart });
    if (drawn.lost.length === 0) return drawn.image;
    lost = drawn.lost;
  }
  throw new GaussianizeError(
    "not-invertible",
    `${new Set(lost).size} locations have no preimage in the range of Float32, although they were drawn ${mostRounds} times.`,
  );
}

/** Inverts by Newton's method, and if that fails by the paper's iteration. */
async function synthesizeBothWays(
  runner: TaskRunner,
  cascade: ImageCascade,
  y: Field,
  options: ImagePassOptions,
): Promise<SynthesizedField> {
  const drawn = await synthesizeField(runner, cascade, y, options);
  if (drawn.lost.length === 0) return drawn;
  return synthesizeField(runner, cascade, y, { ...options, method: "fixed-point" });
}
