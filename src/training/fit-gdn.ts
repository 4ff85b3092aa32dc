/** Fits one layer to samples by stochastic descent of the negentropy, paper eq. (3). */
import { GaussianizeError } from "../errors.js";
import type { FloatArray, GdnForm, GdnGradient, GdnParameters } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import { type AdamState, startAdam, stepAdam } from "./adam.js";
import { negentropyGradient } from "./negentropy-gradient.js";
import { projectOntoBounds } from "./parameter-bounds.js";

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
  const values = (length: number, value: (k: number) => number): Float32Array =>
    Float32Array.from({ length }, (_, k) => value(k));
  return {
    form,
    dimension: n,
    H: Float32Array.from(H),
    alpha: values(form === "general" ? n * n : n, () => 1.5),
    beta: values(n, () => 1),
    gamma:
      form === "diagonal"
        ? values(n, () => 0.5)
        : values(n * n, (k) => (k % (n + 1) === 0 ? 0.501 : 0.001)),
    epsilon: values(n, () => 0.45),
  };
}

export async function fitGdn(
  runner: TaskRunner,
  start: GdnParameters,
  options: FitOptions,
): Promise<Fit> {
  const { steps, batchAt, learningRate = 1.2e-2, onStep } = options;
  let parameters = copyOf(start);
  let optimiser = startAdam(arraysOf(parameters));
  /** What the last step started from; gone once it was needed. */
  let before: { parameters: GdnParameters; optimiser: AdamState } | undefined;
  let damping = 1;
  let [rejectedSteps, troublesInARow] = [0, 0];
  let batch = batchAt(0);
  for (let step = 0; step < steps;) {
    const pending = negentropyGradient(runner, parameters, batch);
    // Made while the workers are busy with the one before.
    const nextBatch = step + 1 < steps ? batchAt(step + 1) : batch;
    const { gradient, meanLogProb, failedSamples } = await pending;
    const isSound = failedSamples === 0 && Number.isFinite(meanLogProb);
    troublesInARow = isSound ? 0 : troublesInARow + 1;
    if (troublesInARow > mostTroubles || Number.isNaN(meanLogProb)) throw lostInvertibility(step);
    if (!isSound) {
      damping /= 2;
      if (before) {
        ({ parameters, optimiser } = before);
        before = undefined;
        rejectedSteps++;
        continue;
      }
      // Sound before, but not for this batch: a small step on the samples that can be used.
    }
    onStep?.(step, meanLogProb);
    before = { parameters, optimiser: copyOfState(optimiser) };
    parameters = copyOf(parameters);
    const rate = damping * learningRate * schedule(step, steps);
    const rates = groupNames(parameters).map((name) => (name === "H" ? rate : rate / 2));
    optimiser = stepAdam(optimiser, arraysOf(parameters), arraysOf(gradient), rates);
    projectOntoBounds(parameters);
    damping = Math.min(1, damping * 1.1);
    batch = nextBatch;
    step++;
  }
  return { parameters, rejectedSteps };
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
