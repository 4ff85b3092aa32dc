/** How images are read for a model, as its file says it: no command has to be told again. */
import { GaussianizeError } from "../../errors.js";
import type { ImageReading } from "../../patches/image-reading.js";
import { patchDimension } from "../../patches/patch-layout.js";
import type { Model } from "./model.js";

/** Undefined where the model does not say how its dimensions form a square patch. */
export function readingOf({ transform, about }: Model): ImageReading | undefined {
  const { patch, preprocessing } = about;
  if (!patch || patch.width !== patch.height) return undefined;
  const { luminance = "grey", removeMean = false, width: size } = patch;
  const layout = { size, removeMean };
  if (patchDimension(layout) !== transform.dimension) return undefined;
  const noiseLevel = preprocessing?.noiseLevel;
  return {
    luminance,
    dequantize: preprocessing?.dequantization === "uniform",
    ...(noiseLevel === undefined ? {} : { noiseLevel }),
    layout,
  };
}

/** For callers who cannot do without; `name` is that of the model. */
export function requireReading(model: Model, name = "the model"): ImageReading {
  const reading = readingOf(model);
  if (reading) return reading;
  throw new GaussianizeError(
    `Expected ${name} to say how its ${model.transform.dimension} dimensions form a square patch, but its file does not.`,
  );
}
