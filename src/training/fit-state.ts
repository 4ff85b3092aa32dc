/** The state of a fit, and the step from one to the next. Only discarded states are modified. */
import type { FloatArray, Kernels } from "../kernels/kernels.js";
import { stagesOf } from "../transforms/cascade.js";
import { type Convolution, middleOf } from "../transforms/convolution.js";
import type { ImageStage } from "../transforms/image-cascade.js";
import { type FittedTransform, countOf } from "../transforms/side-by-side.js";
import { mapParameters, parametersOf } from "../transforms/parameters.js";
import type { ParameterGroups, Transform } from "../transforms/transform.js";
import { type OptimiserState, stepOptimiser } from "./optimisers.js";
import { type GroupRates, relativeRate } from "./group-rates.js";
import { type BoundOptions, keepWithinBounds } from "./parameter-bounds.js";
import { type WhitenedCoordinates, timesFactor } from "./whitened-coordinates.js";

export interface FitState<T extends FittedTransform = Transform> {
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

/**
 * Takes the steps of a fit. Later states overwrite the arrays of discarded ones: making arrays of
 * this size takes longer than the arithmetic of a step.
 */
export class StepTaker<T extends FittedTransform> {
  private discarded: FitState<T> | undefined;
  private slopes: readonly FloatArray[] | undefined;
  private directions: readonly Float64Array[] | undefined;
  private moves: readonly FloatArray[] | undefined;

  constructor(private readonly rules: StepRules) {}

  /** Lets the next step overwrite a state, which nobody else may hold. */
  discard(state: FitState<T>): void {
    this.discarded = state;
  }

  /** Returns the next state. Each group moves at its own rate ({@link GroupRates}). */
  next(
    { transform, optimiser, gradientLength }: FitState<T>,
    gradient: readonly ParameterGroups[],
    rate: number,
  ): FitState<T> {
    const { kernels, bounds, whitened, clipAt, groupRates } = this.rules;
    const { discarded } = this;
    this.discarded = undefined;
    const next = copyOf(transform, discarded?.transform);
    const groups = parametersOf(next);
    const names = groups.flatMap((stage) => Object.keys(stage));
    const gradients = arraysOf(gradient);
    const count = countOf(transform);
    this.slopes = timesFactor(kernels, whitened?.transposed, names, gradients, count, this.slopes);
    const clipped = clip(this.slopes, gradientLength, clipAt);
    const { state, directions } = stepOptimiser(optimiser, clipped.gradients, {
      moments: discarded?.optimiser.moments,
      directions: this.directions,
    });
    this.directions = directions;
    const moves = timesFactor(kernels, whitened?.whitening, names, directions, count, this.moves);
    this.moves = moves;
    // The weights of transforms side by side, which come last, belong to no stage.
    const stages: readonly (ImageStage | undefined)[] = stagesOf(next);
    const owners = groups.flatMap((own, k) => Object.keys(own).map(() => stages[k]));
    arraysOf(groups).forEach((group, g) => {
      const own = rate * relativeRate(groupRates, names[g]);
      const stage = owners[g];
      const isTuned = stage?.kind === "convolution" && optimiser.name === "adam";
      if (isTuned) descendTaps(stage, moves[g], own);
      else descend(group, moves[g], own);
    });
    keepWithinBounds(next, bounds);
    return { transform: next, optimiser: state, gradientLength: clipped.meanLength };
  }
}

/** θ ← θ − rate · direction */
function descend(values: FloatArray, direction: FloatArray, rate: number): void {
  for (let k = 0; k < values.length; k++) values[k] -= rate * direction[k];
}

/**
 * Moves the middle tap of a convolution at the given rate, and all others at 1/taps of it. Adam
 * moves every weight, whether its gradient is signal or noise, and the noise lowers the likelihood
 * in proportion to the rate and to the number of weights. So all other taps together add about as
 * much noise as the middle one, however many there are.
 */
function descendTaps(
  { maps, taps, weights }: Convolution,
  direction: FloatArray,
  rate: number,
): void {
  const square = maps * maps;
  const count = taps.width * taps.height;
  const middle = middleOf(taps);
  for (let tap = 0; tap < count; tap++) {
    const [from, to] = [tap * square, (tap + 1) * square];
    const own = tap === middle ? rate : rate / count;
    descend(weights.subarray(from, to), direction.subarray(from, to), own);
  }
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

/** Returns a copy; its arrays are those of `reused`, if given, a transform of the same shape. */
export function copyOf<T extends FittedTransform>(transform: T, reused?: T): T {
  const targets = reused ? arraysOf(parametersOf(reused)).values() : undefined;
  return mapParameters(transform, (values) => {
    const target = targets?.next().value;
    if (!target) return values.slice();
    target.set(values);
    return target;
  });
}
