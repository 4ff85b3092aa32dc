/** List of all kinds of stages. */
import type { Kernels } from "../kernels/kernels.js";
import { affineKind } from "./affine.js";
import { convolutionKind } from "./convolution.js";
import { linearKind } from "./linear.js";
import { couplingKind } from "./operators/coupling-operator.js";
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
  couplingKind,
  convolutionKind,
] as const;

type Kind = (typeof stageKinds)[number];
type SampleKind = Extract<Kind, { readonly open: unknown }>;
type MadeBy<K> = K extends { readonly make: (record: never) => infer S } ? S : never;

/** A single transform, not a cascade. */
export type Stage = MadeBy<SampleKind>;
/** A stage of whole images: maps each location independently, or is a convolution. */
export type ImageStage = MadeBy<Kind>;

/** Kinds of stages of samples. */
export const sampleKinds = stageKinds.filter((kind): kind is SampleKind => "open" in kind);

/** Returns the definition of the kind of a stage. */
export function kindOf(stage: Stage): SampleStageKind<Stage, StageDescription>;
export function kindOf(stage: ImageStage): StageKind<ImageStage, StageDescription>;
export function kindOf({ kind }: ImageStage): StageKind<ImageStage, StageDescription> {
  return kindNamed(kind);
}

/** Returns the definition of an existing kind. */
export function kindNamed(name: string): StageKind<ImageStage, StageDescription> {
  return byName[name];
}

const byName = Object.fromEntries(
  stageKinds.map((kind) => [kind.kind, kind as StageKind<ImageStage, StageDescription>]),
);

/** Returns a new operator with the parameters loaded. */
export function openOperator(kernels: Kernels, stage: Stage, leaves: LeafShape): StageOperator {
  const operator = kindOf(stage).open(kernels, stage, leaves);
  operator.load(stage);
  return operator;
}

/** Returns zeros for the sums of a stage, in one buffer, which is cheap to pass between threads. */
export function zeroSums(kernels: Kernels, stage: Stage): ParameterGroups {
  const lengths = Object.entries(kindOf(stage).sumLengths(stage));
  const all = kernels.floats(lengths.reduce((sum, [, length]) => sum + length, 0));
  let start = 0;
  return Object.fromEntries(
    lengths.map(([name, length]) => [name, all.subarray(start, (start += length))]),
  );
}
