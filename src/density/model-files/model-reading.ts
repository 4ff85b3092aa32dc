/** The image reading of a model, as recorded in its file. */
import { GaussianizeError } from "../../errors.js";
import type { ImageReading } from "../../patches/image-reading.js";
import { type PatchLayout, patchDimension } from "../../patches/patch-layout.js";
import { type AnyModel, type ImageModel, isImageModel } from "./model.js";

/**
 * Returns how to read images for a model; undefined if its dimensions do not form a square patch.
 * For whole images, the patch is a block.
 *
 * @example
 * ```js
 * import { affine } from "gaussianize";
 * import { readingOf } from "gaussianize/density";
 *
 * const about = { patch: { width: 8, height: 8 } };
 * console.log(readingOf({ transform: affine({ dimension: 64 }), about }).layout.size); // 8
 * ```
 */
export function readingOf(model: ImageModel): ImageReading;
export function readingOf(model: AnyModel): ImageReading | undefined;
export function readingOf(model: AnyModel): ImageReading | undefined {
  const layout = layoutOf(model);
  if (!layout) return undefined;
  const { patch, preprocessing } = model.about;
  const noiseLevel = preprocessing?.noiseLevel;
  return {
    luminance: patch?.luminance ?? "grey",
    dequantize: preprocessing?.dequantization === "uniform",
    ...(noiseLevel === undefined ? {} : { noiseLevel }),
    layout,
  };
}

function layoutOf(model: AnyModel): PatchLayout | undefined {
  if (isImageModel(model)) return { size: model.transform.stride, removeMean: false };
  const { patch } = model.about;
  if (!patch || patch.width !== patch.height) return undefined;
  const layout = { size: patch.width, removeMean: patch.removeMean ?? false };
  return patchDimension(layout) === model.transform.dimension ? layout : undefined;
}

/** Like {@link readingOf}, but throws an error with the `name` of the model if there is none. */
export function requireReading(model: AnyModel, name = "the model"): ImageReading {
  if (isImageModel(model)) return readingOf(model);
  const reading = readingOf(model);
  if (reading) return reading;
  const { dimension } = model.transform;
  throw new GaussianizeError(
    "invalid-argument",
    `Expected ${name} to say how its ${dimension} dimensions form a square patch, but its file does not.`,
    { argument: name },
  );
}

/** Returns the name of the pieces that images are cut into, for messages. */
export function piecesOf(model: AnyModel): string {
  return isImageModel(model) ? "blocks of the model" : "patches";
}

/** Returns the subject of a density, for titles; undefined if its file does not record it. */
export function subjectOf(model: AnyModel): string | undefined {
  const { patch } = model.about;
  if (isImageModel(model)) return "whole images";
  return patch && `${patch.width}×${patch.height} patches`;
}
