/**
 * Where a fit stands, and the step from one state to the next: states are never changed, so that a
 * step can be taken back.
 */
import type { FloatArray, Kernels } from "../kernels/kernels.js";
import { mapParameters, parametersOf } from "../transforms/parameters.js";
import type { AnyTransform } from "../transforms/image-cascade.js";
import type { ParameterGroups, Transform } from "../transforms/transform.js";
import {
  type OptimiserName,
  type OptimiserState,
  startOptimiser,
  stepOptimiser,
} from "./optimisers.js";
import { type BoundOptions, projectOntoBounds } from "./parameter-bounds.js";
import {
  type WhitenedCoordinates,
  inWhitened,
  isLinearGroup,
  outOfWhitened,
} from "./whitened-coordinates.js";

export interface FitState<T extends AnyTransform = Transform> {
  readonly transform: T;
  readonly optimiser: OptimiserState;
  /**
   * Running mean of the length of the gradient, which tells what an unusually long one is; 0 before
   * the first step.
   */
  readonly gradientLength: number;
}

export function startState<T extends AnyTransform>(transform: T, name: OptimiserName): FitState<T> {
  return {
    transform,
    optimiser: startOptimiser(name, arraysOf(parametersOf(transform))),
    gradientLength: 0,
  };
}

/** What is the same for all steps of a fit. */
export interface StepRules {
  readonly kernels: Kernels;
  readonly bounds: BoundOptions;
  /** Null: the entries of H, or of the weights of a convolution, are its coordinates. */
  readonly whitened: WhitenedCoordinates | null;
  /** Gradients longer than so many times their running mean are shortened to that. */
  readonly clipAt: number;
}

/**
 * The next state: H, and the weights of convolutions, move at the rate, all other groups at half of
 * it.
 */
export function takeStep<T extends AnyTransform>(
  { transform, optimiser, gradientLength }: FitState<T>,
  gradient: readonly ParameterGroups[],
  rate: number,
  { kernels, bounds, whitened, clipAt }: StepRules,
): FitState<T> {
  const next = copyOf(transform);
  const groups = parametersOf(next);
  const names = groups.flatMap((stage) => Object.keys(stage));
  const slopes = inWhitened(kernels, whitened, names, arraysOf(gradient));
  const clipped = clip(slopes, gradientLength, clipAt);
  const { state, directions } = stepOptimiser(optimiser, clipped.gradients);
  const moves = outOfWhitened(kernels, whitened, names, directions);
  arraysOf(groups).forEach((group, g) => {
    move(group, moves[g], isLinearGroup(names[g]) ? rate : rate / 2);
  });
  projectOntoBounds(next, bounds);
  return { transform: next, optimiser: state, gradientLength: clipped.meanLength };
}

/** group −= rate · direction */
function move(group: FloatArray, direction: FloatArray, rate: number): void {
  for (let k = 0; k < group.length; k++) group[k] -= rate * direction[k];
}

/** Of the length of a gradient in the running mean. */
const lengthShare = 0.01;

/**
 * One batch with an extreme sample must not push the fit, or the averages of the optimiser, out of
 * their way.
 */
function clip(
  gradients: readonly FloatArray[],
  meanLength: number,
  clipAt: number,
): { readonly gradients: readonly FloatArray[]; readonly meanLength: number } {
  let squares = 0;
  for (const group of gradients) {
    for (let k = 0; k < group.length; k++) squares += group[k] * group[k];
  }
  const length = Math.sqrt(squares);
  if (meanLength === 0) return { gradients, meanLength: length };
  const allowed = Math.min(length, clipAt * meanLength);
  const mean = meanLength + lengthShare * (allowed - meanLength);
  if (allowed === length) return { gradients, meanLength: mean };
  const factor = allowed / length;
  return { gradients: gradients.map((group) => group.map((v) => v * factor)), meanLength: mean };
}

/** All groups of all stages, in their order. */
export function arraysOf(stages: readonly ParameterGroups[]): FloatArray[] {
  return stages.flatMap((groups) => Object.values(groups));
}

export function copyOf<T extends AnyTransform>(transform: T): T {
  return mapParameters(transform, (values) => values.slice());
}
