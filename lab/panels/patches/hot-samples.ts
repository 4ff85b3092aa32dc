/**
 * Samples above temperature 1. Most of their values are beyond the black and white of photographs;
 * the inverse of a preprocessing curve (paper §6.3), the last step of sampling, even makes them
 * black or white. So they are drawn before this step, and each sample has its own greys.
 */
import {
  type AnyModel,
  isImageModel,
  isMixtureModel,
} from "../../../src/density/model-files/model.js";
import type { FloatArray } from "../../../src/kernels/kernels.js";
import { cascade, stagesOf } from "../../../src/transforms/cascade.js";
import { imageCascade } from "../../../src/transforms/image-cascade.js";

/** After the curve, intensities of photographs are normal: 95 % are between these values. */
const ofCurve = { black: -2, white: 2, luminance: "grey" } as const;

/** Returns the model without its preprocessing curve for a hot sample, otherwise the model. */
export function drawnModel<M extends AnyModel>(model: M, temperature: number): M {
  const { patch } = model.about;
  const transform = temperature > 1 ? withoutCurve(model) : null;
  if (!transform || !patch) return model;
  return { transform, about: { patch: { ...patch, ...ofCurve } } } as unknown as M;
}

function withoutCurve(model: AnyModel): AnyModel["transform"] | null {
  if (isMixtureModel(model)) return null;
  if (isImageModel(model)) {
    const { stages, stride } = model.transform;
    const [first, ...others] = stages;
    return first.kind === "pointwise" && others.length > 0
      ? imageCascade({ stride, stages: others })
      : null;
  }
  const [first, ...others] = stagesOf(model.transform);
  return first.kind === "pointwise" && others.length > 0 ? cascade(others) : null;
}

/** Part of the values of a sample beyond either end. */
const beyond = 0.05;

/**
 * Returns samples whose values go far beyond black or white with the central 90 % of their values
 * moved to black … white. Others stay as they are, and so do samples up to temperature 1.
 */
export function shownSamples(
  x: FloatArray,
  { about }: AnyModel,
  { temperature, dimension }: { readonly temperature: number; readonly dimension: number },
): FloatArray {
  const { black, white } = about.patch ?? {};
  if (temperature <= 1 || black === undefined || white === undefined) return x;
  const shown = x.slice();
  for (let from = 0; from < x.length; from += dimension) {
    const sample = x.subarray(from, from + dimension);
    const sorted = sample.slice().sort();
    const at = (part: number): number => sorted[Math.round(part * (dimension - 1))];
    const [least, most] = [Math.min(black, at(beyond)), Math.max(white, at(1 - beyond))];
    const factor = (white - black) / (most - least);
    shown.set(
      sample.map((value) => black + factor * (value - least)),
      from,
    );
  }
  return shown;
}
