/** The sizes of image cascades CICA–GDN–CICA–GDN (paper §4.3). */
import { GaussianizeError, expected } from "../errors.js";
import { checkFields } from "../transforms/checks.js";
import { requireStride } from "../transforms/field.js";
import type { CropShape } from "./crop-fields.js";

export interface CascadeGeometry {
  /** s: as many filters as a block of s×s pixels has. */
  readonly stride: number;
  /** Along either side of a filter, which has so many times s pixels there. */
  readonly filterBlocks: number;
  /** Of the second convolution, along either side: the locations that it mixes. */
  readonly neighbourhood: number;
  /** 1: CICA–GDN; 2: CICA–GDN–CICA–GDN. */
  readonly stages: 1 | 2;
}

/** 8×8, 24×24 and 48×48 pixels are the filters of these; the last one is the paper's. */
export const cascadePresets = {
  small: { stride: 4, filterBlocks: 2, neighbourhood: 3, stages: 2 },
  medium: { stride: 8, filterBlocks: 3, neighbourhood: 5, stages: 2 },
  paper: { stride: 16, filterBlocks: 3, neighbourhood: 9, stages: 2 },
} as const satisfies Readonly<Record<string, CascadeGeometry>>;

export type CascadePreset = keyof typeof cascadePresets;

export const cascadePresetNames = Object.keys(cascadePresets) as readonly CascadePreset[];

/**
 * Of the second stage. "marginal" makes its filters convolutional ICA: they then seek what is least
 * normal by itself, as the paper's do, while beside a GDN they seek what it normalizes best.
 */
export const secondNormalizations = ["gdn", "marginal"] as const;

export type SecondNormalization = (typeof secondNormalizations)[number];

const mostTaps = 31;

const sizes = ["stride", "filterBlocks", "neighbourhood"] as const;

/**
 * A preset with what is given in place of its own sizes; without one, all sizes must be given, and
 * there are 2 stages unless `stages` says otherwise.
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
    throw expected(missing, "be given where there is no preset", merged[missing]);
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

/** Wide neighbourhoods need crops so large that it is a pity to look at few locations of each. */
const wideNeighbourhood = 9;

/** The crops that a fit looks at. */
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

/** Side in pixels of the crops that a fit looks at: images must not be smaller. */
export function cropSideOf(geometry: CascadeGeometry): number {
  const { stride, side } = cropShapeOf(geometry);
  return stride * side;
}

/** Returns how many crops have about so many locations, one at least. */
export function cropsFor(locations: number, { counted }: CropShape): number {
  return Math.max(1, Math.round(locations / (counted * counted)));
}

/** How many stages there are when each layer is complete. */
export function cascadeEnds({ stages }: CascadeGeometry): readonly number[] {
  return stages === 1 ? [2] : [2, 5];
}
