/**
 * The values that are drawn as black and white. Above temperature 1, most samples go beyond the
 * black and white of photographs, and would be drawn in these two colours only.
 */
import type { AnyModel } from "../../../src/density/model-files/model.js";
import type { FloatArray } from "../../../src/kernels/kernels.js";

/** The model's own black and white are 0 and 1. */
export interface DisplayRange {
  readonly black: number;
  readonly white: number;
}

/** Part of the values beyond either end. */
const beyond = 0.05;

/**
 * Returns the central 90 % of the values, and at least black to white; null for the range of
 * photographs.
 */
export function displayRange(
  x: FloatArray,
  { about }: AnyModel,
  temperature: number,
): DisplayRange | null {
  const { black, white } = about.patch ?? {};
  if (temperature <= 1 || black === undefined || white === undefined || x.length === 0) return null;
  const sorted = x.slice().sort();
  const at = (part: number): number => sorted[Math.round(part * (sorted.length - 1))];
  const relative = (value: number): number => (value - black) / (white - black);
  const range = {
    black: Math.min(0, relative(at(beyond))),
    white: Math.max(1, relative(at(1 - beyond))),
  };
  return range.black < 0 || range.white > 1 ? range : null;
}

/** Returns a model whose samples are drawn in this range. */
export function withRange<M extends AnyModel>(model: M, range: DisplayRange | null): M {
  const { patch } = model.about;
  const { black, white } = patch ?? {};
  if (!range || !patch || black === undefined || white === undefined) return model;
  const value = (part: number): number => black + part * (white - black);
  const shown = { ...patch, black: value(range.black), white: value(range.white) };
  return { ...model, about: { ...model.about, patch: shown } };
}
