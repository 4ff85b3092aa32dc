/** The loop of steps of a fit. */
import { GaussianizeError, expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import { abortError, runnerUntil, unlessAborted } from "../parallel/abort-error.js";
import {
  AgreedError,
  Disagreement,
  LonelyFailure,
  StoppedTogether,
} from "../parallel/agreement.js";
import type { TaskRunner } from "../parallel/job.js";
import { stagesOf } from "../transforms/cascade.js";
import type { FittedTransform } from "../transforms/side-by-side.js";
import { parametersOf } from "../transforms/parameters.js";
import type { Transform } from "../transforms/transform.js";
import { CheckpointKeeper } from "./checkpoint-keeper.js";
import { lostText } from "./fit-problem.js";
import { type FitState, type StepRules, StepTaker, arraysOf } from "./fit-state.js";
import { FitTeam } from "./fit-team.js";
import type {
  FitCheckpoint,
  FitHistory,
  FitObjective,
  FitOptions,
  ObjectiveGradient,
} from "./fit-records.js";
import { probesAt } from "./gradient-kind.js";
import { checkGroupRates } from "./group-rates.js";
import { type Teamwork, uncheckedNegentropyGradient } from "./negentropy-gradient.js";
import { schedule } from "./optimisers.js";
import { Validation, logProbsOfBatch } from "./validation.js";
import { isLinearGroup, whitenedCoordinates } from "./whitened-coordinates.js";

/** Most unsound batches in a row. The rate is then so small that something else is wrong. */
const mostTroubles = 20;

function rulesOf<T extends FittedTransform>(
  runner: TaskRunner,
  transform: T,
  options: FitOptions<T>,
): StepRules {
  const { whitening, clipAt = 5, fixedStages = 0, groupRates = {} } = options;
  const last = stagesOf(transform).length - 1;
  if (!(Number.isInteger(fixedStages) && fixedStages >= 0 && fixedStages <= last)) {
    throw expected("fixedStages", `be an integer from 0 to ${last}`, fixedStages);
  }
  const names = parametersOf(transform).flatMap((groups) => Object.keys(groups));
  checkGroupRates(groupRates, names);
  if (whitening && !names.some(isLinearGroup)) {
    throw expected("whitening", "be given for a transform that has an H", "one that has none");
  }
  return {
    kernels: runner.kernels,
    bounds: options,
    whitened: whitening ? whitenedCoordinates(whitening, dimensionOf(transform)) : null,
    clipAt,
    groupRates,
  };
}

/** Returns the components of a sample, or the maps of a field. */
function dimensionOf(transform: FittedTransform): number {
  return transform.kind === "image-cascade"
    ? transform.stride * transform.stride
    : transform.dimension;
}

export class FitLoop<T extends FittedTransform> {
  private readonly stepTaker: StepTaker<T>;
  private readonly validation: Validation<T> | null;
  private readonly team: FitTeam;
  private current: FitState<T>;
  /** State before the last step; undefined after a rollback. */
  private before: FitState<T> | undefined;
  private step: number;
  private damping: number;
  private rejectedSteps: number;
  private troublesInARow = 0;
  private readonly history: FitHistory[number][];
  private readonly keeper: CheckpointKeeper<T>;
  private readonly runner: TaskRunner;
  private readonly firstLayer: T | null;

  constructor(
    runner: TaskRunner,
    checkpoint: FitCheckpoint<T>,
    private readonly options: FitOptions<T>,
  ) {
    const { abandonment } = options;
    this.runner = abandonment ? runnerUntil(abandonment, runner) : runner;
    const { transform, optimiser, gradientLength } = checkpoint;
    const { step, damping, rejectedSteps, history, best, firstLayer = null } = checkpoint;
    this.stepTaker = new StepTaker(rulesOf(runner, transform, options));
    this.team = new FitTeam(options.ranked, options.signal);
    this.validation = options.validation
      ? new Validation(this.runner, options.validation, options, best, this.team)
      : null;
    this.current = { transform, optimiser, gradientLength };
    this.keeper = new CheckpointKeeper(options, checkpoint, this.team);
    this.step = step;
    this.damping = damping;
    this.rejectedSteps = rejectedSteps;
    this.history = [...history];
    this.firstLayer = firstLayer;
  }

  async run(): Promise<void> {
    const { abandonment } = this.options;
    try {
      await (abandonment ? unlessAborted(this.takeSteps(), abandonment) : this.takeSteps());
    } catch (error) {
      if (abandonment?.aborted) await this.keeper.keepLast();
      // A failure to write the checkpoint must not hide the first error.
      else if (error instanceof Disagreement) {
        await this.keeper.keepLast("agreed").catch(() => undefined);
      } else if (error instanceof AgreedError || error instanceof LonelyFailure) {
        // Another rank failed: the fit can resume from its last sound step.
        await this.keeper.keepLast().catch(() => undefined);
      }
      throw error;
    }
  }

  private async takeSteps(): Promise<void> {
    const { steps, batchAt } = this.options;
    const { team } = this;
    const likelihood = likelihoodOf(this.options, team) as FitObjective<never> as FitObjective<T>;
    const { objective = likelihood } = this.options;
    const numberOf = (step: number): number => Math.min(step, steps - 1);
    let batch = await team.attempt(() => batchAt(numberOf(this.step)));
    if (await team.agree()) throw new StoppedTogether();
    // One round more than steps, to check the parameters of the last step.
    for (;;) {
      const pending = objective(this.runner, this.current.transform, batch, this.step);
      // If batchAt fails, nothing awaits this promise; it must not be an unhandled rejection.
      pending.catch(() => undefined);
      // Prepares the next batch while the workers are busy.
      const nextBatch = await team.attempt(() =>
        this.step + 1 < steps ? batchAt(this.step + 1) : batch,
      );
      const result = await pending;
      const stops = await team.agree();
      if (this.rollsBack(result)) continue;
      if (this.troublesInARow === 0) {
        if (await this.pausesHere(stops)) break;
      } else if (stops) await this.stopTogether();
      if (this.step === steps) break;
      const { step } = this;
      this.advance(result);
      await team.attempt(() => this.options.onStep?.(step, result.value, result));
      batch = nextBatch;
    }
    // Shares failures since the last meeting; a finished fit ignores requests to stop.
    await team.agree();
  }

  /** Validates and writes checkpoints between two steps. Returns whether the fit ends early. */
  private async pausesHere(stops: boolean): Promise<boolean> {
    const { signal, abandonment, ranked } = this.options;
    const { transform } = this.current;
    await this.validation?.look(this.step, transform);
    const isCompared = this.step % this.lookEvery === 0 || this.step === this.options.steps;
    if (isCompared) await this.team.requireSame(transform, this.step);
    // An abandoned fit has ended already.
    if (abandonment?.aborted) throw abortError(abandonment);
    this.keeper.note(this.checkpoint(), isCompared);
    if (stops) await this.stopTogether();
    // A single process reacts to its signal also after a validation.
    if (!ranked && signal?.aborted) {
      await this.keeper.keepLast();
      throw abortError(signal);
    }
    if (this.validation?.isHopeless) return true;
    await this.keeper.keepIfDue();
    return false;
  }

  /** Stops all ranks; one that cannot write its last checkpoint tells the others. */
  private async stopTogether(): Promise<never> {
    await this.team.attempt(() => this.keeper.keepLast());
    await this.team.agree();
    throw new StoppedTogether();
  }

  /** Steps between two comparisons of the ranks. */
  private get lookEvery(): number {
    const { validation, steps } = this.options;
    return validation?.every ?? Math.ceil(steps / 20);
  }

  checkpoint(): FitCheckpoint<T> {
    const { step, current, damping, rejectedSteps, history, validation, firstLayer } = this;
    const best = validation?.best ?? null;
    return {
      ...current,
      step,
      damping,
      rejectedSteps,
      history: [...history],
      best,
      ...(firstLayer && { firstLayer }),
    };
  }

  /** Rolls the last step back if its result is unsound; returns whether it did. */
  private rollsBack(result: ObjectiveGradient): boolean {
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
    // The parameters were sound for the last batch but not for this one: take a small step with
    // the usable samples, if any.
    const isHopeless = this.troublesInARow > mostTroubles || !isUsable(result);
    if (isHopeless) throw new LostFit(this.checkpoint());
    return false;
  }

  private advance(found: ObjectiveGradient): void {
    const { gradient, value: meanLogProb } = found;
    const { steps, firstStep = 0, learningRate = 1.2e-2 } = this.options;
    const { step } = this;
    if (step % Math.ceil(steps / 100) === 0) this.history.push({ step, meanLogProb });
    this.discardBefore();
    this.before = this.current;
    const rate = this.damping * learningRate * schedule(step - firstStep, steps - firstStep);
    this.current = this.stepTaker.next(this.current, gradient, rate);
    this.damping = Math.min(1, this.damping * 1.1);
    this.step++;
  }

  /** Frees the arrays of the state before the last step, unless someone else has it. */
  private discardBefore(): void {
    const { before, keeper, validation } = this;
    if (!before || keeper.holds(before.transform)) return;
    if (validation?.best?.transform !== before.transform) this.stepTaker.discard(before);
  }
}

/** Paper eq. (3): the negentropy falls as the likelihood rises. */
function likelihoodOf(
  { steps, firstStep = 0, fixedStages = 0, probes }: LikelihoodOptions,
  { passes, batch: count }: FitTeam,
): FitObjective {
  return async (runner, transform, batch, step) => {
    if (step === steps) return densitiesOf(runner, transform, batch, { passes, batch: count });
    const { meanLogProb: value, ...found } = await uncheckedNegentropyGradient(
      runner,
      transform,
      batch,
      {
        fixedStages,
        passes,
        batch: count,
        probes: probesAt(probes, { firstStep, steps }, step),
      },
    );
    return { ...found, value };
  };
}

/** Checks the densities of a batch; the parameters of the last step need no gradient. */
async function densitiesOf(
  runner: TaskRunner,
  transform: Transform,
  batch: FloatArray,
  team: Teamwork,
): Promise<ObjectiveGradient> {
  const values = await logProbsOfBatch(runner, transform, batch, team);
  const sound = values.filter(Number.isFinite);
  const value = sound.reduce((sum, logProb) => sum + logProb, 0) / sound.length;
  return { gradient: [], value, failedSamples: values.length - sound.length };
}

type LikelihoodOptions = Pick<FitOptions<never>, "steps" | "firstStep" | "fixedStages" | "probes">;

function isSound(result: ObjectiveGradient): boolean {
  return result.failedSamples === 0 && !result.isNearlySingular && isUsable(result);
}

function isUsable({ value: merit, gradient }: ObjectiveGradient): boolean {
  return Number.isFinite(merit) && arraysOf(gradient).every(areFinite);
}

/**
 * Tests all values at once: 0 times a non-finite value is NaN, and so is the sum. Two sums are
 * faster than one.
 */
function areFinite(values: FloatArray): boolean {
  const half = values.length >> 1;
  let [low, high] = [0, 0];
  for (let k = 0; k < half; k++) {
    low += 0 * values[k];
    high += 0 * values[half + k];
  }
  return low + high + 0 * (values.at(-1) ?? 0) === 0;
}

/**
 * Ends a fit that cannot take another step: the Jacobian of some samples is not positive definite,
 * or H or a convolution is singular.
 */
export class LostFit extends GaussianizeError {
  constructor(readonly checkpoint: FitCheckpoint<FittedTransform>) {
    super("fit-failed", lostText(checkpoint.step));
  }
}
