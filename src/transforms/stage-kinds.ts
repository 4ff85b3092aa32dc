/** All kinds of stages: the one list in which a new kind has its line. */
import type { Kernels } from "../kernels/kernels.js";
import { affineKind } from "./affine.js";
import { convolutionKind } from "./convolution.js";
import { linearKind } from "./linear.js";
import { gdnKind } from "./operators/gdn-operator.js";
import { pointwiseKind } from "./pointwise.js";
import type {
  LeafShape,
  ParameterGroups,
  SampleStageKind,
  StageDescription,
  StageKind,
  StageOperator,
} from "./stage-kind.js";

export const stageKinds = [
  gdnKind,
  linearKind,
  affineKind,
  pointwiseKind,
  convolutionKind,
] as const;

type Kind = (typeof stageKinds)[number];
type SampleKind = Extract<Kind, { readonly open: unknown }>;
type MadeBy<K> = K extends { readonly make: (record: never) => infer S } ? S : never;

/** A transform that is not made of others. */
export type Stage = MadeBy<SampleKind>;
/** A stage of whole images: one that maps each location alike, or one that mixes them. */
export type ImageStage = MadeBy<Kind>;

/** Kinds of stages of samples. */
export const sampleKinds = stageKinds.filter((kind): kind is SampleKind => "open" in kind);

/** The record of the kind of a stage. */
export function kindOf(stage: Stage): SampleStageKind<Stage, StageDescription>;
export function kindOf(stage: ImageStage): StageKind<ImageStage, StageDescription>;
export function kindOf({ kind }: ImageStage): StageKind<ImageStage, StageDescription> {
  return kindNamed(kind);
}

/** The record of a kind, given the name of one that there is. */
export function kindNamed(name: string): StageKind<ImageStage, StageDescription> {
  return byName[name];
}

const byName = Object.fromEntries(
  stageKinds.map((kind) => [kind.kind, kind as StageKind<ImageStage, StageDescription>]),
);

/** A new operator with the parameters loaded. */
export function openOperator(kernels: Kernels, stage: Stage, leaves: LeafShape): StageOperator {
  const operator = kindOf(stage).open(kernels, stage, leaves);
  operator.load(stage);
  return operator;
}

/**
 * Zeros for the sums of a stage, all groups in one buffer: what moves between threads should be few
 * pieces.
 */
export function zeroSums(kernels: Kernels, stage: Stage): ParameterGroups {
  const lengths = Object.entries(kindOf(stage).sumLengths(stage));
  const all = kernels.floats(lengths.reduce((sum, [, length]) => sum + length, 0));
  let start = 0;
  return Object.fromEntries(
    lengths.map(([name, length]) => [name, all.subarray(start, (start += length))]),
  );
}
