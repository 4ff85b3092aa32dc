/** Fits a transform to samples by stochastic descent of the negentropy, paper eq. (3). */
import { GaussianizeError, expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import { abortError, unlessAborted } from "../parallel/abort-error.js";
import { AgreedError, LonelyFailure, StoppedTogether } from "../parallel/agreement.js";
import type { TaskRunner } from "../parallel/job.js";
import { checkRunner } from "../density/batch-passes.js";
import { stagesOf } from "../transforms/cascade.js";
import { type AnyTransform, requireImageCascade } from "../transforms/image-cascade.js";
import { parametersOf } from "../transforms/parameters.js";
import { type ParameterGroups, type Transform, requireChecked } from "../transforms/transform.js";
import { CheckpointKeeper } from "./checkpoint-keeper.js";
import { checkFitOptions, requireCertified, requireSameFit } from "./fit-checks.js";
import {
  type FitState,
  type StepRules,
  arraysOf,
  copyOf,
  startState,
  takeStep,
} from "./fit-state.js";
import { FitTeam, type RankedFit } from "./fit-team.js";
import { uncheckedNegentropyGradient } from "./negentropy-gradient.js";
import type { OptimiserName } from "./optimisers.js";
import { type BoundOptions, projectOntoBounds } from "./parameter-bounds.js";
import { type BestSoFar, type ValidationOptions, Validation } from "./validation.js";
import { isLinearGroup, whitenedCoordinates } from "./whitened-coordinates.js";

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
  /** Processes that make the fit together: all call this with the same options, but for their share of each batch. */
  readonly ranked?: RankedFit;
  /** Default 0. Of a fit that is a phase of a longer one: its steps have the numbers from here up to `steps`, its rate rises and falls in them. */
  readonly firstStep?: number;
  /** Of a cascade: so many first stages stay as they are; default 0. */
  readonly fixedStages?: number;
  /** The samples of a step, batch×N: of its number only, so that a fit can be repeated and resumed. */
  readonly batchAt: (step: number) => FloatArray | Promise<FloatArray>;
  /** What the fit raises, default the likelihood of samples; another one decides what batches hold. */
  readonly objective?: FitObjective<T>;
  /** Largest learning rate of H; the other groups take half. */
  readonly learningRate?: number;
  /** Default "adam". */
  readonly optimiser?: OptimiserName;
  /**
   * N×N, a whitening of the data: the optimiser then moves K in H = K W, of the first stage that has an H or is a convolution. Far fewer steps are
   * needed (whitened-coordinates.ts).
   */
  readonly whitening?: FloatArray;
  /** Gradients longer than so many times their running mean are shortened to that; default 5. */
  readonly clipAt?: number;
  /** Samples that are not fitted to: the transform of the best validation is the result. */
  readonly validation?: ValidationOptions<T>;
  readonly onStep?: (step: number, meanLogProb: number, found: ObjectiveGradient) => void;
  /** Ends the fit between two steps, after a last checkpoint; it then fails with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Ends the fit at once, whatever it waits for, after a last checkpoint of the last step that was found sound. */
  readonly abandonment?: AbortSignal;
  /** Called every so many steps, and when a signal aborts, with all that is needed to go on from there. */
  readonly checkpointEvery?: number;
  /** And whenever so many seconds have passed since the last one; default Infinity. */
  readonly checkpointSeconds?: number;
  readonly onCheckpoint?: (checkpoint: FitCheckpoint<T>) => void | Promise<void>;
}

/** A fit between two steps. What comes after it is the same, bit for bit, as if there had been no interruption. */
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

/** About a hundred times during the fit: the step, and the mean of log p over its batch, in nats. */
export type FitHistory = readonly FitRecord[];

export interface FitRecord {
  readonly step: number;
  /** Or the value of another objective. */
  readonly meanLogProb: number;
}

export interface Fit<T extends AnyTransform = Transform> {
  readonly transform: T;
  /** Steps taken back because a sample had lost its density: I − M was no longer positive definite, or H or a convolution singular. */
  readonly rejectedSteps: number;
  readonly history: FitHistory;
  /** Steps taken; fewer than asked for where validations no longer improved. */
  readonly steps: number;
  /** The step of the transform and its mean of log p over the validation samples; null without validation. */
  readonly validated: FitRecord | null;
}

const warmUpSteps = 100;
/** After so many unsound batches in a row the rate is beneath use: something else is wrong. */
const mostTroubles = 20;

/** From a start, or from where an earlier fit with the same options was interrupted. */
export async function fitTransform<T extends AnyTransform>(
  runner: TaskRunner,
  from: T | FitCheckpoint<T>,
  options: FitOptions<T>,
): Promise<Fit<T>> {
  checkRunner(runner);
  checkFitOptions(options);
  if ("optimiser" in from) requireSameFit(from, options);
  const loop = new FitLoop(
    runner,
    "optimiser" in from ? from : startingCheckpoint(from, options),
    options,
  );
  await loop.run();
  return loop.result();
}

/** Before the first step. */
export function startingCheckpoint<T extends AnyTransform>(
  start: T,
  options: FitOptions<T>,
): FitCheckpoint<T> {
  const first = copyOf(checkedAny(start));
  // A start outside of bounds that the options ask for must not come back where no step is taken.
  projectOntoBounds(first, boundsOf(options));
  if (options.certified) requireCertified(first);
  const state = startState(first, options.optimiser ?? "adam");
  const { firstStep: step = 0 } = options;
  return { ...state, step, damping: 1, rejectedSteps: 0, history: [], best: null };
}

/** What the fit would be if it ended there. */
export function fitAt<T extends AnyTransform>(checkpoint: FitCheckpoint<T>): Fit<T> {
  const { transform, rejectedSteps, history, step: steps, best } = checkpoint;
  return {
    transform: checkedAny(best ? best.transform : transform),
    rejectedSteps,
    history,
    steps,
    validated: best && { step: best.step, meanLogProb: best.meanLogProb },
  };
}

function checkedAny<T extends AnyTransform>(transform: T): T {
  const any: AnyTransform = transform;
  const checked = any.kind === "image-cascade" ? requireImageCascade(any) : requireChecked(any);
  return checked as T;
}

function boundsOf({ certified = false, exponentBound, holds }: BoundOptions): BoundOptions {
  return {
    certified,
    ...(exponentBound === undefined ? {} : { exponentBound }),
    ...(holds && { holds }),
  };
}

function rulesOf<T extends AnyTransform>(
  runner: TaskRunner,
  transform: T,
  options: FitOptions<T>,
): StepRules {
  const { whitening, clipAt = 5, fixedStages = 0 } = options;
  const last = stagesOf(transform).length - 1;
  if (!(Number.isInteger(fixedStages) && fixedStages >= 0 && fixedStages <= last)) {
    throw expected("fixedStages", `be an integer from 0 to ${last}`, fixedStages);
  }
  const names = parametersOf(transform).flatMap((groups) => Object.keys(groups));
  if (whitening && !names.some(isLinearGroup)) {
    throw expected("whitening", "be given for a transform that has an H", "one that has none");
  }
  return {
    kernels: runner.kernels,
    bounds: boundsOf(options),
    whitened: whitening ? whitenedCoordinates(whitening, dimensionOf(transform)) : null,
    clipAt,
  };
}

/** Components of a sample, or maps of a field. */
function dimensionOf(transform: AnyTransform): number {
  return transform.kind === "image-cascade" ? transform.stride ** 2 : transform.dimension;
}

class FitLoop<T extends AnyTransform> {
  private readonly rules: StepRules;
  private readonly validation: Validation<T> | null;
  private readonly team: FitTeam;
  private current: FitState<T>;
  /** What the last step started from; gone once it was needed. */
  private before: FitState<T> | undefined;
  private step: number;
  private damping: number;
  private rejectedSteps: number;
  private troublesInARow = 0;
  private readonly history: FitHistory[number][];
  private readonly keeper: CheckpointKeeper<T>;

  constructor(
    private readonly runner: TaskRunner,
    checkpoint: FitCheckpoint<T>,
    private readonly options: FitOptions<T>,
  ) {
    const { transform, optimiser, gradientLength } = checkpoint;
    const { step, damping, rejectedSteps, history, best } = checkpoint;
    this.rules = rulesOf(runner, transform, options);
    this.team = new FitTeam(options.ranked, options.signal);
    this.validation = options.validation
      ? new Validation(runner, options.validation, options, best, this.team)
      : null;
    this.current = { transform, optimiser, gradientLength };
    this.keeper = new CheckpointKeeper(options, step, this.team);
    this.step = step;
    this.damping = damping;
    this.rejectedSteps = rejectedSteps;
    this.history = [...history];
  }

  async run(): Promise<void> {
    const { abandonment } = this.options;
    try {
      await (abandonment ? unlessAborted(this.takeSteps(), abandonment) : this.takeSteps());
    } catch (error) {
      if (abandonment?.aborted) await this.keeper.keepLast();
      // The failure is worth more than that its last step could not be kept.
      else if (isOfRanks(error)) await this.keeper.keepLast().catch(() => undefined);
      throw error;
    }
  }

  private async takeSteps(): Promise<void> {
    const { steps, batchAt, fixedStages = 0 } = this.options;
    const { team } = this;
    const likelihood = likelihoodOf(fixedStages, team) as FitObjective<never> as FitObjective<T>;
    const { objective = likelihood } = this.options;
    const numberOf = (step: number): number => Math.min(step, steps - 1);
    let batch = await team.attempt(() => batchAt(numberOf(this.step)));
    if (await team.agree()) throw new StoppedTogether();
    // One round more than steps: the parameters of the last step are looked at, too.
    for (;;) {
      const pending = objective(this.runner, this.current.transform, batch, this.step);
      // Should batchAt fail, its error counts, not that nobody waits for this.
      pending.catch(() => undefined);
      // Made while the workers are busy with the one before.
      const nextBatch = await team.attempt(() =>
        this.step + 1 < steps ? batchAt(this.step + 1) : batch,
      );
      const result = await pending;
      const stops = await team.agree();
      if (this.takesBack(result)) continue;
      if (this.troublesInARow === 0) {
        if (await this.pausesHere(stops)) break;
      } else if (stops) await this.stopTogether();
      if (this.step === steps) break;
      const { step } = this;
      this.advance(result);
      await team.attempt(() => this.options.onStep?.(step, result.value, result));
      batch = nextBatch;
    }
    // What a rank met since they last met; a fit that is done need not be stopped.
    await team.agree();
  }

  result(): Fit<T> {
    return fitAt(this.checkpoint());
  }

  /**
   * What is done between two steps, with parameters that were just found sound, so that what led to them need not be kept.
   * Whether the fit ends early.
   */
  private async pausesHere(stops: boolean): Promise<boolean> {
    const { signal, abandonment, ranked } = this.options;
    const { transform } = this.current;
    await this.validation?.look(this.step, transform);
    if (this.step % this.lookEvery === 0) await this.team.requireSame(transform, this.step);
    // The fit has ended already: nobody waits for this any longer.
    if (abandonment?.aborted) throw abortError(abandonment);
    this.keeper.note(this.checkpoint());
    if (stops) await this.stopTogether();
    // Whoever is alone is heard also while it validates.
    if (!ranked && signal?.aborted) {
      await this.keeper.keepLast();
      throw abortError(signal);
    }
    if (this.validation?.isHopeless) return true;
    await this.keeper.keepIfDue();
    return false;
  }

  /** All ranks come here; one that cannot keep the last step tells the others. */
  private async stopTogether(): Promise<never> {
    await this.team.attempt(() => this.keeper.keepLast());
    await this.team.agree();
    throw new StoppedTogether();
  }

  /** Steps between two validations, also where there are none. */
  private get lookEvery(): number {
    const { validation, steps } = this.options;
    return validation?.every ?? Math.ceil(steps / 20);
  }

  private checkpoint(): FitCheckpoint<T> {
    const { step, current, damping, rejectedSteps, history, validation } = this;
    const best = validation?.best ?? null;
    return { ...current, step, damping, rejectedSteps, history: [...history], best };
  }

  /** Whether the last step is undone because of what it led to. */
  private takesBack(result: ObjectiveGradient): boolean {
    const sound = isSound(result);
    this.troublesInARow = sound ? 0 : this.troublesInARow + 1;
    if (sound) return false;
    this.damping /= 2;
    if (this.before) {
      this.current = this.before;
      this.before = undefined;
      this.rejectedSteps++;
      return true;
    }
    // Sound before, but not for this batch: a small step on the samples that can be used, if there are any.
    const isHopeless = this.troublesInARow > mostTroubles || !isUsable(result);
    if (isHopeless) throw lostInvertibility(this.step);
    return false;
  }

  private advance(found: ObjectiveGradient): void {
    const { gradient, value: meanLogProb } = found;
    const { steps, firstStep = 0, learningRate = 1.2e-2 } = this.options;
    const { step } = this;
    if (step % Math.ceil(steps / 100) === 0) this.history.push({ step, meanLogProb });
    this.before = this.current;
    const rate = this.damping * learningRate * schedule(step - firstStep, steps - firstStep);
    this.current = takeStep(this.current, gradient, rate, this.rules);
    this.damping = Math.min(1, this.damping * 1.1);
    this.step++;
  }
}

/** Of a fit that can go on from its last sound step when what another rank met is mended. */
function isOfRanks(error: unknown): boolean {
  return error instanceof AgreedError || error instanceof LonelyFailure;
}

/** Paper eq. (3): the negentropy falls as the likelihood rises. */
function likelihoodOf(fixedStages: number, team: FitTeam): FitObjective {
  return async (runner, transform, batch) => {
    const { meanLogProb: value, ...found } = await uncheckedNegentropyGradient(
      runner,
      transform,
      batch,
      fixedStages,
      team,
    );
    return { ...found, value };
  };
}

function isSound(result: ObjectiveGradient): boolean {
  return result.failedSamples === 0 && !result.isNearlySingular && isUsable(result);
}

function isUsable({ value: merit, gradient }: ObjectiveGradient): boolean {
  return Number.isFinite(merit) && arraysOf(gradient).every(areFinite);
}

/** Of all values: 0 times any other is NaN, and stays so in the sum, without a test of each. */
function areFinite(values: FloatArray): boolean {
  let sum = 0;
  for (let k = 0; k < values.length; k++) sum += 0 * values[k];
  return sum === 0;
}

function lostInvertibility(step: number): GaussianizeError {
  return new GaussianizeError(
    `The fit cannot go on after ${step} steps: samples have no density, however small the step (the Jacobian is not positive definite, or H or a convolution is singular).`,
  );
}

/** Linear warm-up, then down to 0 like half a cosine, whose last bits would depend on the engine. */
export function schedule(step: number, steps: number): number {
  const warmUp = Math.min(1, (step + 1) / warmUpSteps);
  const t = step / steps;
  // The cubic with the cosine's ends and slopes.
  return warmUp * (1 - t * t * (3 - 2 * t));
}
