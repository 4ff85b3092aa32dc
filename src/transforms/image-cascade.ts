/**
 * Cascades of transforms of whole images (paper §4.3): an image is cut into blocks of s×s pixels, a
 * field of s² maps, and every stage maps it to another field of s² maps. Convolutions mix
 * locations; all other transforms map each location independently.
 */
import { expected } from "../errors.js";
import { cascade, stagesOf } from "./cascade.js";
import { requireChecked } from "./checked-transform.js";
import { type Checked, type Unchecked, checkFields, isChecked, trusted } from "./checks.js";
import { type Convolution, requireConvolution } from "./convolution.js";
import { requireStride } from "./field.js";
import type { Cascade, ImageStage, Stage, Transform } from "./transform.js";

export type { ImageStage } from "./transform.js";

export interface ImageCascade extends Checked {
  readonly kind: "image-cascade";
  /** s; the sides of an image must be multiples of it. */
  readonly stride: number;
  readonly stages: readonly ImageStage[];
}

/** A transform of samples or of whole images. */
export type AnyTransform = Transform | ImageCascade;

export interface ImageCascadeInput {
  readonly stride: number;
  readonly stages: readonly Unchecked<Transform | Convolution>[];
}

/**
 * Returns a cascade of one or more stages with stride² maps each; nested cascades are flattened.
 *
 * @example
 * ```js
 * import { affine, imageCascade } from "gaussianize";
 *
 * const brighter = affine({ dimension: 4, shift: [1, 1, 1, 1] });
 * console.log(imageCascade({ stride: 2, stages: [brighter] }).stages.length); // 1
 * ```
 */
export function imageCascade(input: ImageCascadeInput): ImageCascade {
  checkFields("the parameters of an image cascade", input, ["kind", "stride", "stages"]);
  const { stride } = input;
  requireStride(stride);
  if (!Array.isArray(input.stages) || input.stages.length === 0) {
    throw expected("the stages of an image cascade", "be a list of at least one", input.stages);
  }
  const stages = (input.stages as readonly (Transform | Convolution)[]).flatMap(
    (stage): readonly ImageStage[] =>
      isConvolution(stage) ? [requireConvolution(stage)] : stagesOf(requireChecked(stage)),
  );
  const maps = stride * stride;
  const other = stages.findIndex((stage) => mapsOf(stage) !== maps);
  if (other >= 0) {
    throw expected(`stage ${other}`, `have ${maps} maps, stride squared`, mapsOf(stages[other]));
  }
  return trusted<ImageCascade>({ kind: "image-cascade", stride, stages });
}

/** Returns a checked cascade itself, or a checked copy of any other record. */
export function requireImageCascade(given: Unchecked<ImageCascade>): ImageCascade {
  const kind = (given as Partial<ImageCascade> | null | undefined)?.kind;
  if (kind !== "image-cascade") throw expected("an image cascade", "be given", given);
  return isChecked(given) ? (given as ImageCascade) : imageCascade(given);
}

/** Stages computed in one pass: a convolution, or all stages between two convolutions. */
export interface CascadePart {
  /** Index of the first stage. */
  readonly first: number;
  readonly transform: Convolution | Cascade;
}

export function partsOf({ stages }: ImageCascade): readonly CascadePart[] {
  const parts: CascadePart[] = [];
  for (let first = 0; first < stages.length;) {
    const transform = partFrom(stages.slice(first));
    parts.push({ first, transform });
    first += transform.kind === "cascade" ? transform.stages.length : 1;
  }
  return parts;
}

function partFrom(stages: readonly ImageStage[]): Convolution | Cascade {
  const [next] = stages;
  if (isConvolution(next)) return next;
  const end = stages.findIndex(isConvolution);
  return cascade(stages.slice(0, end < 0 ? stages.length : end) as readonly Stage[]);
}

export function isConvolution(stage: Transform | Convolution): stage is Convolution {
  return (stage as Partial<Convolution> | null | undefined)?.kind === "convolution";
}

function mapsOf(stage: ImageStage): number {
  return isConvolution(stage) ? stage.maps : stage.dimension;
}
