/** Where a fit stands, and the step from one state to the next: states are never changed, so that a step can be taken back. */
import type { FloatArray } from "../kernels/kernels.js";
import { mapParameters, parametersOf } from "../transforms/parameters.js";
import type { ParameterGroups, Transform } from "../transforms/transform.js";
import { type AdamState, startAdam, stepAdam } from "./adam.js";
import { type BoundOptions, projectOntoBounds } from "./parameter-bounds.js";

export interface FitState<T extends Transform> {
  readonly transform: T;
  readonly optimiser: AdamState;
}

export function startState<T extends Transform>(transform: T): FitState<T> {
  return { transform, optimiser: startAdam(arraysOf(parametersOf(transform))) };
}

/** The next state: H moves at the rate, all other groups at half of it. */
export function takeStep<T extends Transform>(
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

/** All groups of all stages, in their order. */
export function arraysOf(stages: readonly ParameterGroups[]): FloatArray[] {
  return stages.flatMap((groups) => Object.values(groups));
}

export function copyOf<T extends Transform>(transform: T): T {
  return mapParameters(transform, (values) => values.slice());
}

function copyOfState(state: AdamState): AdamState {
  return {
    steps: state.steps,
    firstMoment: state.firstMoment.map((array) => array.slice()),
    secondMoment: state.secondMoment.map((array) => array.slice()),
  };
}
