/**
 * How every kind of transform computes. An operator does the passes over a run of samples in one thread; what all samples
 * have in common (log |det H|, the gradient of it) is computed once a batch by the caller.
 */
import type {
  FloatArray,
  InversionResults,
  InversionSettings,
  Kernels,
  SampleResults,
} from "../../kernels/kernels.js";
import type { ParameterGroups, Stage } from "../transform.js";

/** How a task is cut into leaves (kernels/reduction-tree.ts). */
export interface LeafShape {
  readonly leafSize: number;
  /** The largest number of leaves handed over in one call. */
  readonly maximumLeaves: number;
}

export interface StageGradientResults extends SampleResults {
  /** count×N: ∂L/∂x; null where it is not wanted. */
  readonly xGradient: FloatArray | null;
  /** Gradient sums over the samples, overwritten; null where they are not wanted. */
  readonly sums: ParameterGroups | null;
}

/** Results of an inversion with x, the input of the stage, in place of z. */
export type StageInversionResults = Omit<InversionResults, "z"> & {
  /** count×N */
  readonly x: FloatArray;
};

/** Passes of one stage; `failedPivot` holds the first component at which a sample has no density, or −1. */
export interface StageOperator<S extends Stage = Stage> {
  /** Whether memory and code fit this stage and these leaves as well. */
  fits(stage: Stage, leaves: LeafShape): boolean;
  /** Takes the parameters as they are now. */
  load(stage: S): void;
  /** y and the part of log |det ∂y/∂x| that depends on the sample. */
  gaussianize(x: FloatArray, count: number, results: SampleResults): void;
  /** y alone, whether or not a sample has a density: what a fit hands on to the next stage. */
  apply(x: FloatArray, count: number, y: FloatArray): void;
  /**
   * Gradients of L = Σ over samples of (a loss of y) − log |det ∂y/∂x|, where `upstream` (count×N) is the derivative of
   * the loss by y; null for the loss ½‖y‖².
   */
  backpropagate(
    x: FloatArray,
    upstream: FloatArray | null,
    count: number,
    results: StageGradientResults,
  ): void;
  /** x with g(x) = y. */
  synthesize(
    y: FloatArray,
    count: number,
    settings: InversionSettings,
    results: StageInversionResults,
  ): void;
}

/** What no sample has a part in. */
export interface CommonPart {
  /** Of every sample's log |det ∂y/∂x|; NaN where H is singular in the precision of the kernels. */
  readonly logDeterminant: number;
  /** H⁻¹ where there is an H. */
  readonly inverse: FloatArray | null;
}

/** Everything that is known of a kind of transform. */
export interface StageKind<S extends Stage> {
  open(kernels: Kernels, stage: S, leaves: LeafShape): StageOperator<S>;
  /** Lengths of the sums that `backpropagate` fills. */
  sumLengths(stage: S): Readonly<Record<string, number>>;
  common(kernels: Kernels, stage: S): CommonPart;
  /** The gradient of the parameters from the sums over `count` samples, the common part's included. */
  finishGradient(
    stage: S,
    sums: ParameterGroups,
    count: number,
    common: CommonPart,
  ): ParameterGroups;
  /** Why a sample has no density, given the component. */
  failure(stage: S, component: number): string;
}

/** For a pass of which only y is wanted. */
export function unreadResults(count: number, y: FloatArray): SampleResults {
  const [unread, failedPivot] = [new Float64Array(count), new Int32Array(count)];
  return { y, logDeterminant: unread, energy: unread, failedPivot };
}
