/** The records of a fit: options, checkpoints and result. */
import type { FloatArray } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import type { FittedTransform } from "../transforms/side-by-side.js";
import type { ParameterGroups, Transform } from "../transforms/transform.js";
import type { FitState } from "./fit-state.js";
import type { RankedFit } from "./fit-team.js";
import type { GradientEstimate } from "./negentropy-gradient.js";
import type { GroupRates } from "./group-rates.js";
import type { OptimiserName } from "./optimisers.js";
import type { BoundOptions } from "./parameter-bounds.js";
import type { BestSoFar, ValidationOptions } from "./validation.js";

/** Value of an objective, which a fit raises, and the gradient of its negative. */
export interface ObjectiveGradient {
  /** Gradient of −value: one record per stage, or one for a transform that is not a cascade. */
  readonly gradient: readonly ParameterGroups[];
  readonly value: number;
  /** Number of samples without a density; a step that causes any is rejected. */
  readonly failedSamples: number;
  /** Statistics of the estimated gradient; missing for an exact one. */
  readonly estimate?: GradientEstimate;
  /** Smallest singular value of the convolutions at the frequencies of this step. */
  readonly smallestSingularValue?: number;
  /** Whether a singular value is too small; a step that causes this is rejected. */
  readonly isNearlySingular?: boolean;
}

/** Computes the objective of a step. It may depend on the step number, but on no other state. */
export type FitObjective<T extends FittedTransform = Transform> = (
  runner: TaskRunner,
  transform: T,
  batch: FloatArray,
  step: number,
) => Promise<ObjectiveGradient>;

export interface FitOptions<T extends FittedTransform = Transform> extends BoundOptions {
  readonly steps: number;
  /** Processes that share the fit. All have the same options, except for their part of a batch. */
  readonly ranked?: RankedFit | undefined;
  /**
   * Number of the first step, for a phase of a longer fit; default 0. The learning rate rises and
   * falls between it and `steps`.
   */
  readonly firstStep?: number;
  /** Number of first stages of a cascade that are not trained; default 0. */
  readonly fixedStages?: number;
  /**
   * Returns the samples of a step, batch×N. They must depend on the step number alone, so that a
   * fit can be repeated and resumed.
   */
  readonly batchAt: (step: number) => FloatArray | Promise<FloatArray>;
  /** Quantity that the fit raises; default: the likelihood of the samples in a batch. */
  readonly objective?: FitObjective<T>;
  /**
   * Estimates the gradients of the first steps with random signs, without inverting a matrix for
   * each sample (docs/how-it-works.md). `share` is the fraction of the steps. Default: all exact.
   */
  readonly probes?: { readonly seed: number; readonly share: number } | undefined;
  /** Largest learning rate of H and of middle taps; outer taps have less. Default 0.012. */
  readonly learningRate?: number;
  /** Learning rates of the other groups, relative to that of H. Default ½; ⅒ for couplings. */
  readonly groupRates?: GroupRates | undefined;
  /** Default "adam". */
  readonly optimiser?: OptimiserName;
  /**
   * Whitening W of the data, N×N: in the first stage with an H or a convolution, the optimiser then
   * moves K in H = K W, which takes far fewer steps (whitened-coordinates.ts).
   */
  readonly whitening?: FloatArray;
  /** Longest gradient, relative to the running mean; longer ones are shortened. Default 5. */
  readonly clipAt?: number;
  /** Held-out samples; the result is then the transform of the best validation. */
  readonly validation?: ValidationOptions<T> | undefined;
  readonly onStep?: (step: number, meanLogProb: number, found: ObjectiveGradient) => void;
  /** Ends the fit after a step and a last checkpoint; it then throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the fit at once, even while it waits, with a checkpoint of the last sound step. */
  readonly abandonment?: AbortSignal | undefined;
  /** Steps between two checkpoints; a signal that aborts adds one. Default Infinity. */
  readonly checkpointEvery?: number | undefined;
  /** Seconds after which another checkpoint is made; default Infinity. */
  readonly checkpointSeconds?: number | undefined;
  /**
   * Makes a checkpoint as soon as it takes less than this fraction of the time since the last one,
   * and one before the last step. Default 0: neither.
   */
  readonly checkpointShare?: number | undefined;
  readonly onCheckpoint?: ((checkpoint: FitCheckpoint<T>) => void | Promise<void>) | undefined;
}

/** A fit between two steps. A fit resumed from it gives the same bits as an uninterrupted one. */
export interface FitCheckpoint<T extends FittedTransform = Transform> extends FitState<T> {
  /** Steps taken. */
  readonly step: number;
  /** Factor of the learning rate, below 1 after a rejected step. */
  readonly damping: number;
  readonly rejectedSteps: number;
  readonly history: FitHistory;
  /** Best validation so far; null before the first. */
  readonly best: BestSoFar<T> | null;
  /** Result of the phase that trained the first layer alone, if later phases need it. */
  readonly firstLayer?: T | null;
}

/** About a hundred records of a fit, at equal distances. */
export type FitHistory = readonly FitRecord[];

export interface FitRecord {
  readonly step: number;
  /** Mean log p of the batch in nats, or the value of another objective. */
  readonly meanLogProb: number;
}

export interface Fit<T extends FittedTransform = Transform> {
  readonly transform: T;
  /**
   * Number of steps that were rolled back because a sample lost its density: I − M was not positive
   * definite, or H or a convolution was singular.
   */
  readonly rejectedSteps: number;
  readonly history: FitHistory;
  /** Steps taken; fewer than requested if validations stopped improving. */
  readonly steps: number;
  /** Step of the transform, and mean log p of the validation samples; null without validation. */
  readonly validated: FitRecord | null;
}
