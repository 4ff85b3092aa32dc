/** Fits a transform to samples by stochastic descent of the negentropy, paper eq. (3). */
import { GaussianizeError, expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import { abortError } from "../parallel/abort-error.js";
import type { TaskRunner } from "../parallel/job.js";
import { certificateOf, isBelowOne } from "../density/verification/certificate.js";
import { stagesOf } from "../transforms/cascade.js";
import { checkFields } from "../transforms/checks.js";
import { mapParameters, parametersOf } from "../transforms/parameters.js";
import { type ParameterGroups, type Transform, requireChecked } from "../transforms/transform.js";
import { type AdamState, startAdam, stepAdam } from "./adam.js";
import { type NegentropyGradient, uncheckedNegentropyGradient } from "./negentropy-gradient.js";
import { type BoundOptions, projectOntoBounds } from "./parameter-bounds.js";

export interface FitOptions extends BoundOptions {
  readonly steps: number;
  /** The samples of a step, batch×N. */
  readonly batchAt: (step: number) => FloatArray;
  /** Largest learning rate of H; the other groups take half. */
  readonly learningRate?: number;
  readonly onStep?: (step: number, meanLogProb: number) => void;
  /** Ends the fit between two steps; it then fails with the signal's reason. */
  readonly signal?: AbortSignal;
}

const optionFields = ["steps", "batchAt", "learningRate", "onStep", "signal", "certified"] as const;

export interface Fit<T extends Transform = Transform> {
  readonly transform: T;
  /** Steps taken back because a sample had lost its density: I − M was no longer positive definite, or H singular. */
  readonly rejectedSteps: number;
  /** About a hundred times during the fit: the step, and the mean of log p over its batch, in nats. */
  readonly history: readonly { readonly step: number; readonly meanLogProb: number }[];
}

const warmUpSteps = 100;
/** After so many unsound batches in a row the rate is beneath use: something else is wrong. */
const mostTroubles = 20;

export async function fitTransform<T extends Transform>(
  runner: TaskRunner,
  start: T,
  options: FitOptions,
): Promise<Fit<T>> {
  checkFields("the options", options, optionFields);
  const { steps, batchAt, learningRate = 1.2e-2, onStep, signal, certified = false } = options;
  const bounds = { certified };
  checkOptions(steps, learningRate);
  const first = copyOf(requireChecked(start));
  // A start outside of bounds that the options ask for must not come back where no step is taken.
  projectOntoBounds(first, bounds);
  if (certified) requireCertified(first);
  let current: FitState<T> = {
    transform: first,
    optimiser: startAdam(arraysOf(parametersOf(first))),
  };
  /** What the last step started from; gone once it was needed. */
  let before: FitState<T> | undefined;
  let damping = 1;
  let [rejectedSteps, troublesInARow] = [0, 0];
  const history: Fit["history"][number][] = [];
  let batch = batchAt(0);
  // One round more than steps: the parameters of the last step are looked at, too.
  for (let step = 0; step <= steps;) {
    if (signal?.aborted) throw abortError(signal);
    const pending = uncheckedNegentropyGradient(runner, current.transform, batch);
    // Should batchAt throw, its error counts, not that nobody waits for this.
    pending.catch(() => undefined);
    // Made while the workers are busy with the one before.
    const nextBatch = step + 1 < steps ? batchAt(step + 1) : batch;
    const result = await pending;
    const sound = isSound(result);
    troublesInARow = sound ? 0 : troublesInARow + 1;
    if (!sound) {
      damping /= 2;
      if (before) {
        current = before;
        before = undefined;
        rejectedSteps++;
        continue;
      }
      // Sound before, but not for this batch: a small step on the samples that can be used, if there are any.
      if (troublesInARow > mostTroubles || !isUsable(result)) throw lostInvertibility(step);
    }
    if (step === steps) break;
    const { meanLogProb } = result;
    if (step % Math.ceil(steps / 100) === 0) history.push({ step, meanLogProb });
    onStep?.(step, meanLogProb);
    before = current;
    const rate = damping * learningRate * schedule(step, steps);
    current = takeStep(current, result.gradient, rate, bounds);
    damping = Math.min(1, damping * 1.1);
    batch = nextBatch;
    step++;
  }
  return { transform: requireChecked(current.transform), rejectedSteps, history };
}

interface FitState<T extends Transform> {
  readonly transform: T;
  readonly optimiser: AdamState;
}

/** The next state; the one before stays as it is. */
function takeStep<T extends Transform>(
  { transform, optimiser }: FitState<T>,
  gradient: readonly ParameterGroups[],
  rate: number,
  bounds: BoundOptions,
): FitState<T> {
  const next = copyOf(transform);
  const groups = parametersOf(next);
  const rates = groups.flatMap((stage) =>
    Object.keys(stage).map((name) => (name === "H" ? rate : rate / 2)),
  );
  const moved = stepAdam(copyOfState(optimiser), arraysOf(groups), arraysOf(gradient), rates);
  projectOntoBounds(next, bounds);
  return { transform: next, optimiser: moved };
}

function isSound(result: NegentropyGradient): boolean {
  return result.failedSamples === 0 && isUsable(result);
}

function isUsable({ meanLogProb, gradient }: NegentropyGradient): boolean {
  return (
    Number.isFinite(meanLogProb) &&
    arraysOf(gradient).every((group) => group.every((value) => Number.isFinite(value)))
  );
}

/** Some structures have ε α = 1 by definition, and no bound can change that. */
function requireCertified(transform: Transform): void {
  for (const stage of stagesOf(transform)) {
    if (stage.kind !== "gdn" || isBelowOne(certificateOf(stage).q)) continue;
    throw expected("certified", "be asked of a structure that can have q < 1", stage.structure);
  }
}

function checkOptions(steps: number, learningRate: number): void {
  if (!Number.isInteger(steps) || steps < 1)
    throw expected("steps", "be an integer of at least 1", steps);
  if (!(learningRate > 0 && learningRate < Infinity)) {
    throw expected("learningRate", "be a positive number", learningRate);
  }
}

function lostInvertibility(step: number): GaussianizeError {
  return new GaussianizeError(
    `The fit cannot go on after ${step} steps: the Jacobian is not positive definite, however small the step.`,
  );
}

/** Linear warm-up, then down to 0 like half a cosine, whose last bits would depend on the engine. */
function schedule(step: number, steps: number): number {
  const warmUp = Math.min(1, (step + 1) / warmUpSteps);
  const t = step / steps;
  // The cubic with the cosine's ends and slopes.
  return warmUp * (1 - t * t * (3 - 2 * t));
}

function arraysOf(stages: readonly ParameterGroups[]): FloatArray[] {
  return stages.flatMap((groups) => Object.values(groups));
}

function copyOf<T extends Transform>(transform: T): T {
  return mapParameters(transform, (values) => values.slice());
}

function copyOfState(state: AdamState): AdamState {
  return {
    steps: state.steps,
    firstMoment: state.firstMoment.map((array) => array.slice()),
    secondMoment: state.secondMoment.map((array) => array.slice()),
  };
}
