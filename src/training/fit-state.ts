/** The state of a fit, and the step from one to the next. States are never modified. */
import type { FloatArray, Kernels } from "../kernels/kernels.js";
import { mapParameters, parametersOf } from "../transforms/parameters.js";
import type { AnyTransform } from "../transforms/image-cascade.js";
import type { ParameterGroups, Transform } from "../transforms/transform.js";
import { type OptimiserState, stepOptimiser } from "./optimisers.js";
import { type GroupRates, relativeRate } from "./group-rates.js";
import { type BoundOptions, keepWithinBounds } from "./parameter-bounds.js";
import { type WhitenedCoordinates, timesFactor } from "./whitened-coordinates.js";

export interface FitState<T extends AnyTransform = Transform> {
  readonly transform: T;
  readonly optimiser: OptimiserState;
  /** Running mean of the gradient length, for clipping; 0 before the first step. */
  readonly gradientLength: number;
}

/** Settings shared by all steps of a fit. */
export interface StepRules {
  readonly kernels: Kernels;
  readonly bounds: BoundOptions;
  /** Null: the optimiser moves the entries of H, or the weights of a convolution, directly. */
  readonly whitened: WhitenedCoordinates | null;
  /** Longest gradient, relative to the running mean; longer ones are shortened to it. */
  readonly clipAt: number;
  readonly groupRates: GroupRates;
}

/** Returns the next state. Each group moves at its own rate ({@link GroupRates}). */
export function takeStep<T extends AnyTransform>(
  { transform, optimiser, gradientLength }: FitState<T>,
  gradient: readonly ParameterGroups[],
  rate: number,
  { kernels, bounds, whitened, clipAt, groupRates }: StepRules,
): FitState<T> {
  const next = copyOf(transform);
  const groups = parametersOf(next);
  const names = groups.flatMap((stage) => Object.keys(stage));
  const slopes = timesFactor(kernels, whitened?.transposed, names, arraysOf(gradient));
  const clipped = clip(slopes, gradientLength, clipAt);
  const { state, directions } = stepOptimiser(optimiser, clipped.gradients);
  const moves = timesFactor(kernels, whitened?.whitening, names, directions);
  arraysOf(groups).forEach((group, g) => {
    descend(group, moves[g], rate * relativeRate(groupRates, names[g]));
  });
  keepWithinBounds(next, bounds);
  return { transform: next, optimiser: state, gradientLength: clipped.meanLength };
}

/** θ ← θ − rate · direction */
function descend(values: FloatArray, direction: FloatArray, rate: number): void {
  for (let k = 0; k < values.length; k++) values[k] -= rate * direction[k];
}

/** Weight of a new gradient in the running mean of lengths. */
const lengthShare = 0.01;

/** Shortens a long gradient, so that one extreme sample cannot throw the fit off its course. */
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

/** Returns all parameter groups of all stages, in order. */
export function arraysOf(stages: readonly ParameterGroups[]): FloatArray[] {
  return stages.flatMap((groups) => Object.values(groups));
}

export function copyOf<T extends AnyTransform>(transform: T): T {
  return mapParameters(transform, (values) => values.slice());
}
