/** The records of a fit: its options, where it stands between two steps, and its result. */
import type { FloatArray } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import type { AnyTransform } from "../transforms/image-cascade.js";
import type { ParameterGroups, Transform } from "../transforms/transform.js";
import type { FitState } from "./fit-state.js";
import type { RankedFit } from "./fit-team.js";
import type { OptimiserName } from "./optimisers.js";
import type { BoundOptions } from "./parameter-bounds.js";
import type { BestSoFar, ValidationOptions } from "./validation.js";

/** What a step looks at: the gradient of what is to fall, and the value of what is to rise. */
export interface ObjectiveGradient {
  /** One record for each stage (one for a transform that is no cascade). */
  readonly gradient: readonly ParameterGroups[];
  readonly value: number;
  /** Samples without a density: a step that leads to some is taken back. */
  readonly failedSamples: number;
  /** Of convolutions, over the frequencies that were looked at. */
  readonly smallestSingularValue?: number;
  /** Whether that is too small to go on with: a step that leads there is taken back. */
  readonly isNearlySingular?: boolean;
}

/** It may depend on the number of the step, but on nothing else that changes. */
export type FitObjective<T extends AnyTransform = Transform> = (
  runner: TaskRunner,
  transform: T,
  batch: FloatArray,
  step: number,
) => Promise<ObjectiveGradient>;

export interface FitOptions<T extends AnyTransform = Transform> extends BoundOptions {
  readonly steps: number;
  /**
   * Processes that make the fit together: all call this with the same options, but for their share
   * of each batch.
   */
  readonly ranked?: RankedFit;
  /**
   * Default 0. Of a fit that is a phase of a longer one: its steps have the numbers from here up to
   * `steps`, its rate rises and falls in them.
   */
  readonly firstStep?: number;
  /** Of a cascade: so many first stages stay as they are; default 0. */
  readonly fixedStages?: number;
  /**
   * The samples of a step, batch×N: of its number only, so that a fit can be repeated and resumed.
   */
  readonly batchAt: (step: number) => FloatArray | Promise<FloatArray>;
  /**
   * What the fit raises, default the likelihood of samples; another one decides what batches hold.
   */
  readonly objective?: FitObjective<T>;
  /** Largest learning rate of H; the other groups take half. */
  readonly learningRate?: number;
  /** Default "adam". */
  readonly optimiser?: OptimiserName;
  /**
   * N×N, a whitening of the data: the optimiser then moves K in H = K W, of the first stage that
   * has an H or is a convolution. Far fewer steps are needed (whitened-coordinates.ts).
   */
  readonly whitening?: FloatArray;
  /** Gradients longer than so many times their running mean are shortened to that; default 5. */
  readonly clipAt?: number;
  /** Samples that are not fitted to: the transform of the best validation is the result. */
  readonly validation?: ValidationOptions<T>;
  readonly onStep?: (step: number, meanLogProb: number, found: ObjectiveGradient) => void;
  /**
   * Ends the fit between two steps, after a last checkpoint; it then fails with the signal's
   * reason.
   */
  readonly signal?: AbortSignal;
  /**
   * Ends the fit at once, whatever it waits for, after a last checkpoint of the last step that was
   * found sound.
   */
  readonly abandonment?: AbortSignal;
  /**
   * Called every so many steps, and when a signal aborts, with all that is needed to go on from
   * there.
   */
  readonly checkpointEvery?: number;
  /** And whenever so many seconds have passed since the last one; default Infinity. */
  readonly checkpointSeconds?: number;
  readonly onCheckpoint?: (checkpoint: FitCheckpoint<T>) => void | Promise<void>;
}

/**
 * A fit between two steps. What comes after it is the same, bit for bit, as if there had been no
 * interruption.
 */
export interface FitCheckpoint<T extends AnyTransform = Transform> extends FitState<T> {
  /** Steps taken. */
  readonly step: number;
  /** Factor of the learning rate, below 1 after a step was taken back. */
  readonly damping: number;
  readonly rejectedSteps: number;
  readonly history: FitHistory;
  /** Of the validations so far; null before the first. */
  readonly best: BestSoFar<T> | null;
}

/**
 * About a hundred times during the fit: the step, and the mean of log p over its batch, in nats.
 */
export type FitHistory = readonly FitRecord[];

export interface FitRecord {
  readonly step: number;
  /** Or the value of another objective. */
  readonly meanLogProb: number;
}

export interface Fit<T extends AnyTransform = Transform> {
  readonly transform: T;
  /**
   * Steps taken back because a sample had lost its density: I − M was no longer positive definite,
   * or H or a convolution singular.
   */
  readonly rejectedSteps: number;
  readonly history: FitHistory;
  /** Steps taken; fewer than asked for where validations no longer improved. */
  readonly steps: number;
  /**
   * The step of the transform and its mean of log p over the validation samples; null without
   * validation.
   */
  readonly validated: FitRecord | null;
}
