/** The sizes of image cascades CICA–GDN–CICA–GDN (paper §4.3). */
import { GaussianizeError, expected } from "../errors.js";
import { checkFields } from "../transforms/checks.js";
import { requireStride } from "../transforms/field.js";
import type { CropShape } from "./crop-likelihood.js";

export interface CascadeGeometry {
  /** s: side of a block in pixels; there are s² filters. */
  readonly stride: number;
  /** Side of a filter in blocks of s pixels. */
  readonly filterBlocks: number;
  /** Side of the second convolution in locations. */
  readonly neighbourhood: number;
  /** 1: CICA–GDN; 2: CICA–GDN–CICA–GDN. */
  readonly stages: 1 | 2;
}

/** Presets with filters of 8×8, 24×24 and 48×48 pixels; the last is the paper's. */
export const cascadePresets = {
  small: { stride: 4, filterBlocks: 2, neighbourhood: 3, stages: 2 },
  medium: { stride: 8, filterBlocks: 3, neighbourhood: 5, stages: 2 },
  paper: { stride: 16, filterBlocks: 3, neighbourhood: 9, stages: 2 },
} as const satisfies Readonly<Record<string, CascadeGeometry>>;

export type CascadePreset = keyof typeof cascadePresets;

export const cascadePresetNames = Object.keys(cascadePresets) as readonly CascadePreset[];

/**
 * Normalizations of the second stage. "marginal" makes its filters convolutional ICA: like the
 * paper's, they find the least Gaussian responses. With "gdn" they find responses that the GDN
 * normalizes best.
 */
export const secondNormalizations = ["gdn", "marginal"] as const;

export type SecondNormalization = (typeof secondNormalizations)[number];

const mostTaps = 31;

const sizes = ["stride", "filterBlocks", "neighbourhood"] as const;

/**
 * Returns a preset with the given sizes replaced. Without a preset all sizes must be given;
 * `stages` defaults to 2.
 */
export function cascadeGeometry(
  preset: CascadePreset | undefined,
  given: Partial<CascadeGeometry> = {},
): CascadeGeometry {
  checkFields("the geometry", given, [...sizes, "stages"]);
  if (preset !== undefined && !Object.hasOwn(cascadePresets, preset)) {
    throw expected("the preset", `be one of ${cascadePresetNames.join(", ")}`, preset);
  }
  const own: Partial<CascadeGeometry> = preset === undefined ? {} : cascadePresets[preset];
  const merged: Partial<CascadeGeometry> = { ...own, ...given };
  if (preset === undefined && sizes.every((name) => merged[name] === undefined)) {
    throw new GaussianizeError(
      "invalid-argument",
      `A cascade needs a preset (${cascadePresetNames.join(", ")}) or a geometry.`,
    );
  }
  const missing = sizes.find((name) => merged[name] === undefined);
  if (missing !== undefined) {
    throw expected(missing, "be given without a preset", merged[missing]);
  }
  const { stride = NaN, filterBlocks = NaN, neighbourhood = NaN, stages = 2 } = merged;
  requireStride(stride);
  for (const [name, value] of Object.entries({ filterBlocks, neighbourhood })) {
    if (Number.isInteger(value) && value >= 1 && value <= mostTaps) continue;
    throw expected(name, `be an integer from 1 to ${mostTaps}`, value);
  }
  if (![1, 2].includes(stages)) throw expected("stages", "be 1 or 2", stages);
  return { stride, filterBlocks, neighbourhood, stages };
}

/** Neighbourhoods from this size need large crops, which are used at more locations each. */
const wideNeighbourhood = 9;

/** Returns the shape of the crops of a fit. */
export function cropShapeOf({
  stride,
  filterBlocks,
  neighbourhood,
  stages,
}: CascadeGeometry): CropShape {
  const isWide = stages > 1 && neighbourhood >= wideNeighbourhood;
  const counted = isWide ? 8 : 4;
  const side = counted + filterBlocks - 1 + (stages > 1 ? neighbourhood - 1 : 0);
  return { stride, side, counted };
}

/** Returns the side of the crops of a fit in pixels; images must not be smaller. */
export function cropSideOf(geometry: CascadeGeometry): number {
  const { stride, side } = cropShapeOf(geometry);
  return stride * side;
}

/** Returns the number of crops with about this many locations, at least 1. */
export function cropsFor(locations: number, { counted }: CropShape): number {
  return Math.max(1, Math.round(locations / (counted * counted)));
}

/** Returns the number of stages up to the end of each layer. */
export function cascadeEnds({ stages }: CascadeGeometry): readonly number[] {
  return stages === 1 ? [2] : [2, 5];
}
