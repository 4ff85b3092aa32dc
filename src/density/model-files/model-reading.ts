/** How images are read for a model, as its file says it: no command has to be told again. */
import { GaussianizeError } from "../../errors.js";
import type { ImageReading } from "../../patches/image-reading.js";
import { type PatchLayout, patchDimension } from "../../patches/patch-layout.js";
import { type AnyModel, type ImageModel, isImageModel } from "./model.js";

/**
 * Undefined where the model does not say how its dimensions form a square patch; of whole images,
 * the patch is a block.
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

/**
 * For callers who cannot do without; `name` is that of the model. One of whole images always says
 * it.
 */
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

/** The pieces that images must have room for, as sentences say it. */
export function piecesOf(model: AnyModel): string {
  return isImageModel(model) ? "blocks of the model" : "patches";
}

/** What a model is a density of, as titles say it; undefined where its file does not tell. */
export function subjectOf(model: AnyModel): string | undefined {
  const { patch } = model.about;
  if (isImageModel(model)) return "whole images";
  return patch && `${patch.width}×${patch.height} patches`;
}
