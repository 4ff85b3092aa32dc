/** Fits one layer to samples by stochastic descent of the negentropy, paper eq. (3). */
import { GaussianizeError, expected } from "../errors.js";
import {
  type FloatArray,
  type GdnForm,
  type GdnGradient,
  type GdnParameters,
  gdnLengths,
} from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import { type AdamState, startAdam, stepAdam } from "./adam.js";
import { type NegentropyGradient, uncheckedNegentropyGradient } from "./negentropy-gradient.js";
import { projectOntoBounds } from "./parameter-bounds.js";
import { requireChecked } from "../transforms/gdn-parameters.js";

export interface FitOptions {
  readonly steps: number;
  /** The samples of a step, batch×N. */
  readonly batchAt: (step: number) => FloatArray;
  /** Largest learning rate of H; the other groups take half. */
  readonly learningRate?: number;
  readonly onStep?: (step: number, meanLogProb: number) => void;
}

export interface Fit {
  readonly parameters: GdnParameters;
  /** Steps taken back because I − M had lost positive definiteness. */
  readonly rejectedSteps: number;
}

const warmUpSteps = 100;
/** After so many unsound batches in a row the rate is beneath use: something else is wrong. */
const mostTroubles = 20;

/** Where a fit starts: H given, γ nearly diagonal, so that the transform is invertible for certain (paper §3.2). */
export function startingParameters(form: GdnForm, H: FloatArray, n: number): GdnParameters {
  const lengths = gdnLengths(form, n);
  if (H.length !== lengths.H) throw expected("H", `hold ${lengths.H} values (${n}×${n})`, H.length);
  const values = (length: number, value: (k: number) => number): Float32Array =>
    Float32Array.from({ length }, (_, k) => value(k));
  return {
    form,
    dimension: n,
    H: Float32Array.from(H),
    alpha: values(lengths.alpha, () => 1.5),
    beta: values(lengths.beta, () => 1),
    gamma: values(lengths.gamma, (k) =>
      form === "diagonal" ? 0.5 : k % (n + 1) === 0 ? 0.501 : 0.001,
    ),
    epsilon: values(lengths.epsilon, () => 0.45),
  };
}

export async function fitGdn(
  runner: TaskRunner,
  start: GdnParameters,
  options: FitOptions,
): Promise<Fit> {
  const { steps, batchAt, learningRate = 1.2e-2, onStep } = options;
  checkOptions(steps, learningRate);
  requireChecked(start);
  let current: FitState = { parameters: copyOf(start), optimiser: startAdam(arraysOf(start)) };
  /** What the last step started from; gone once it was needed. */
  let before: FitState | undefined;
  let damping = 1;
  let [rejectedSteps, troublesInARow] = [0, 0];
  let batch = batchAt(0);
  // One round more than steps: the parameters of the last step are looked at, too.
  for (let step = 0; step <= steps;) {
    const pending = uncheckedNegentropyGradient(runner, current.parameters, batch);
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
    onStep?.(step, result.meanLogProb);
    before = current;
    current = takeStep(current, result.gradient, damping * learningRate * schedule(step, steps));
    damping = Math.min(1, damping * 1.1);
    batch = nextBatch;
    step++;
  }
  return { parameters: current.parameters, rejectedSteps };
}

interface FitState {
  readonly parameters: GdnParameters;
  readonly optimiser: AdamState;
}

/** The next state; the one before stays as it is. */
function takeStep(
  { parameters, optimiser }: FitState,
  gradient: GdnGradient,
  rate: number,
): FitState {
  const next = copyOf(parameters);
  const rates = groupNames(next).map((name) => (name === "H" ? rate : rate / 2));
  const moved = stepAdam(copyOfState(optimiser), arraysOf(next), arraysOf(gradient), rates);
  projectOntoBounds(next);
  return { parameters: next, optimiser: moved };
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

function groupNames(parameters: GdnGradient): (keyof GdnGradient)[] {
  const names: (keyof GdnGradient)[] = ["H", "alpha", "beta", "gamma", "epsilon"];
  return names.filter((name) => parameters[name] !== null);
}

function arraysOf(groups: GdnGradient): FloatArray[] {
  return groupNames(groups).map((name) => groups[name] as FloatArray);
}

function copyOf(parameters: GdnParameters): GdnParameters {
  const { H, alpha, beta, gamma, epsilon } = parameters;
  return {
    ...parameters,
    H: H ? H.slice() : null,
    alpha: alpha.slice(),
    beta: beta.slice(),
    gamma: gamma.slice(),
    epsilon: epsilon.slice(),
  };
}

function copyOfState(state: AdamState): AdamState {
  return {
    steps: state.steps,
    firstMoment: state.firstMoment.map((array) => array.slice()),
    secondMoment: state.secondMoment.map((array) => array.slice()),
  };
}
