/** How images are read for a model, as its file says it: no command has to be told again. */
import { GaussianizeError } from "../../errors.js";
import type { ImageReading } from "../../patches/image-reading.js";
import { type PatchLayout, patchDimension } from "../../patches/patch-layout.js";
import { type AnyModel, isImageModel } from "./model.js";

/** Undefined where the model does not say how its dimensions form a square patch; of whole images, the patch is a block. */
export function readingOf(model: AnyModel): ImageReading | undefined {
  const { patch, preprocessing } = model.about;
  const layout = layoutOf(model);
  if (!layout) return undefined;
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

/** For callers who cannot do without; `name` is that of the model. */
export function requireReading(model: AnyModel, name = "the model"): ImageReading {
  const reading = readingOf(model);
  if (reading || isImageModel(model)) return reading as ImageReading;
  throw new GaussianizeError(
    `Expected ${name} to say how its ${model.transform.dimension} dimensions form a square patch, but its file does not.`,
  );
}
