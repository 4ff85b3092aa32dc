/** The way back: whole images from normal fields. */
import { GaussianizeError } from "../../errors.js";
import type { GreyPixels } from "../../images/grey-image.js";
import type { TaskRunner } from "../../parallel/job.js";
import { type Seed, createRandom } from "../../random/random-stream.js";
import { checkFields } from "../../transforms/checks.js";
import { type Field, fieldToImage, requireBlocks, requireField } from "../../transforms/field.js";
import { type ImageCascade, partsOf, requireImageCascade } from "../../transforms/image-cascade.js";
import { checkCall } from "../batch-passes.js";
import { type SynthesisOptions, synthesize } from "../synthesis.js";
import { inverseField } from "./convolution-passes.js";
import type { ImageOptions } from "./image-density.js";

/** How a normalization is inverted: as for patches, without progress. */
export type ImageSynthesisOptions = Omit<SynthesisOptions, "onProgress">;

export interface SynthesizedImage {
  readonly image: GreyPixels;
  /** Locations, over all stages, whose inverse was not found: where there are any, the image is not that of y. */
  readonly unconverged: number;
  /** The largest of any location and stage, as in `synthesize`; convolutions count as 0. */
  readonly residual: number;
}

/** The image x with g(x; θ) = y: convolutions in the Fourier domain, all other stages location by location. */
export async function synthesizeImage(
  runner: TaskRunner,
  given: ImageCascade,
  y: Field,
  options: ImageSynthesisOptions = {},
): Promise<SynthesizedImage> {
  checkCall(runner, options, "method", "tolerance", "maximumIterations");
  const cascade = requireImageCascade(given);
  requireField(y, "y", cascade.stride ** 2);
  let field = y;
  let [unconverged, residual] = [0, 0];
  for (const { transform } of [...partsOf(cascade)].reverse()) {
    options.signal?.throwIfAborted();
    if (transform.kind === "convolution") {
      field = await inverseField(runner, transform, field, options.signal);
      continue;
    }
    const found = await synthesize(runner, transform, field.values, options);
    field = { ...field, values: found.x };
    unconverged += found.converged.reduce((lost, ok) => lost + 1 - ok, 0);
    residual = found.residual.reduce((a, b) => Math.max(a, b), residual);
  }
  return { image: fieldToImage(field), unconverged, residual };
}

export interface ImageSampleOptions extends ImageOptions {
  /** In pixels, multiples of the stride. */
  readonly width: number;
  readonly height: number;
  readonly seed: Seed;
}

/** A draw from the density of whole images: the same seed gives the same image. */
export async function sampleImage(
  runner: TaskRunner,
  given: ImageCascade,
  options: ImageSampleOptions,
): Promise<GreyPixels> {
  checkFields("the options", options, ["width", "height", "seed", "signal"]);
  const { width, height, seed, signal } = options;
  const cascade = requireImageCascade(given);
  const size = requireBlocks({ width, height }, cascade.stride);
  const values = new Float64Array(width * height);
  createRandom(seed, "sample-image").normalFill(values);
  const y = { ...size, maps: cascade.stride ** 2, values };
  const passOptions = signal ? { signal } : {};
  const drawn = await synthesizeImage(runner, cascade, y, passOptions);
  if (drawn.unconverged === 0) return drawn.image;
  // Where Newton's method gives up, the paper's iteration ends at the solution if there is one.
  const again = await synthesizeImage(runner, cascade, y, {
    ...passOptions,
    method: "fixed-point",
  });
  if (again.unconverged === 0) return again.image;
  throw new GaussianizeError(
    `Expected every normal vector to have a preimage but those of ${again.unconverged} locations have none, or none within Float32.`,
  );
}
