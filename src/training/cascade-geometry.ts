/** The sizes of image cascades CICA–GDN–CICA–GDN (paper §4.3), and where their fits start. */
import { GaussianizeError, expected } from "../errors.js";
import { affine } from "../transforms/affine.js";
import { checkFields } from "../transforms/checks.js";
import { startingConvolution } from "../transforms/convolution.js";
import { requireStride } from "../transforms/field.js";
import { startingGdn } from "../transforms/gdn-start.js";
import { type ImageCascade, type ImageStage, imageCascade } from "../transforms/image-cascade.js";
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
 * Of the second stage. "marginal" makes its filters convolutional ICA: they then seek what is least normal by itself, as the paper's do, while
 * beside a GDN they seek what it normalizes best.
 */
export const secondNormalizations = ["gdn", "marginal"] as const;

export type SecondNormalization = (typeof secondNormalizations)[number];

const mostTaps = 31;

const sizes = ["stride", "filterBlocks", "neighbourhood"] as const;

/** A preset with what is given in place of its own sizes; without one, all sizes must be given, and there are 2 stages unless `stages` says otherwise. */
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

/** How many stages there are when each layer is complete. */
export function cascadeEnds({ stages }: CascadeGeometry): readonly number[] {
  return stages === 1 ? [2] : [2, 5];
}

/**
 * Invertible on fields of every size: both convolutions have one tap that is not 0, the middle one. That of the first one is the
 * whitening of blocks; the second one and its GDN hardly change anything.
 */
export function startingCascade(
  { stride, filterBlocks, neighbourhood, stages }: CascadeGeometry,
  whitening: ArrayLike<number>,
  secondNormalization: SecondNormalization = "gdn",
): ImageCascade {
  const maps = stride * stride;
  const gdn = (structure: "column" | "marginal", isNearIdentity: boolean) =>
    startingGdn({ structure, dimension: maps, isNearIdentity });
  const first: readonly ImageStage[] = [
    startingConvolution({ maps, width: filterBlocks, H: whitening }),
    gdn("column", false),
  ];
  const shift = affine({
    dimension: maps,
    scale: new Float32Array(maps).fill(1),
    shift: new Float32Array(maps),
  });
  // Independent components are found by what bends; a GDN that bends would undo what the first one did.
  const last = secondNormalization === "gdn" ? gdn("column", true) : gdn("marginal", false);
  const second = [shift, startingConvolution({ maps, width: neighbourhood }), last];
  return imageCascade({ stride, stages: stages === 1 ? first : [...first, ...second] });
}
