/** Optimisers turn a gradient into a direction for each parameter; a schedule sets the rate. */
import type { FloatArray } from "../kernels/kernels.js";

export type OptimiserName = "adam" | "sgd";

/** State of an optimiser. A step makes a new one, so that it can be rolled back. */
export interface OptimiserState {
  readonly name: OptimiserName;
  /** Steps taken. */
  readonly steps: number;
  /**
   * Running averages, each with one array per parameter group. Adam averages the gradient and its
   * square, SGD the gradient.
   */
  readonly moments: readonly (readonly Float64Array[])[];
}

export interface OptimiserStep {
  readonly state: OptimiserState;
  /** One array per parameter group: θ ← θ − rate · direction. */
  readonly directions: readonly Float64Array[];
}

interface Optimiser {
  readonly moments: number;
  /** Fills `direction` and the next moments. */
  advance(
    gradient: FloatArray,
    moments: readonly Float64Array[],
    next: readonly Float64Array[],
    direction: Float64Array,
    steps: number,
  ): void;
}

const optimisers: Readonly<Record<OptimiserName, Optimiser>> = {
  adam: { moments: 2, advance: advanceAdam },
  sgd: { moments: 1, advance: advanceMomentum },
};

export const optimiserNames = Object.keys(optimisers) as OptimiserName[];

export function startOptimiser(name: OptimiserName, groups: readonly FloatArray[]): OptimiserState {
  const zeros = (): Float64Array[] => groups.map((group) => new Float64Array(group.length));
  return { name, steps: 0, moments: Array.from({ length: optimisers[name].moments }, zeros) };
}

/** Arrays that a step of an optimiser may overwrite; it makes those that are missing. */
export interface ReusedArrays {
  readonly moments?: OptimiserState["moments"] | undefined;
  readonly directions?: OptimiserStep["directions"] | undefined;
}

/** Uses only operations that IEEE 754 defines to the last bit: fits are the same everywhere. */
export function stepOptimiser(
  { name, steps: before, moments: old }: OptimiserState,
  gradients: readonly FloatArray[],
  reused: ReusedArrays = {},
): OptimiserStep {
  const steps = before + 1;
  const moments =
    reused.moments ?? old.map((groups) => groups.map(({ length }) => new Float64Array(length)));
  const directions = gradients.map((gradient, g) => {
    const direction = reused.directions?.[g] ?? new Float64Array(gradient.length);
    const [own, next] = [old, moments].map((all) => all.map((groups) => groups[g]));
    optimisers[name].advance(gradient, own, next, direction, steps);
    return direction;
  });
  return { state: { name, steps, moments }, directions };
}

const firstMomentDecay = 0.9;
const secondMomentDecay = 0.999;
const adamStabilizer = 1e-8;

/** Adam (Kingma & Ba 2015): m̂ / (√v̂ + stabilizer) */
function advanceAdam(
  gradient: FloatArray,
  [m, v]: readonly Float64Array[],
  [nextM, nextV]: readonly Float64Array[],
  direction: Float64Array,
  steps: number,
): void {
  const firstCorrection = 1 / (1 - power(firstMomentDecay, steps));
  const secondCorrection = 1 / (1 - power(secondMomentDecay, steps));
  for (let k = 0; k < gradient.length; k++) {
    const slope = gradient[k];
    const first = m[k] + (1 - firstMomentDecay) * (slope - m[k]);
    const second = v[k] + (1 - secondMomentDecay) * (slope * slope - v[k]);
    nextM[k] = first;
    nextV[k] = second;
    direction[k] =
      (first * firstCorrection) / (Math.sqrt(second * secondCorrection) + adamStabilizer);
  }
}

const friction = 0.1;

/** Gradient descent with momentum (Polyak 1964), which averages about ten gradients. */
function advanceMomentum(
  gradient: FloatArray,
  [velocity]: readonly Float64Array[],
  [next]: readonly Float64Array[],
  direction: Float64Array,
): void {
  for (let k = 0; k < gradient.length; k++) {
    next[k] = velocity[k] + friction * (gradient[k] - velocity[k]);
    direction[k] = next[k];
  }
}

/** Returns base^exponent for a whole exponent; the ** operator may differ between engines. */
function power(base: number, exponent: number): number {
  let result = 1;
  for (let factor = base, left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result *= factor;
    factor *= factor;
  }
  return result;
}

const warmUpSteps = 100;

/**
 * Returns the factor of the learning rate at a step: it rises linearly during the warm-up, then
 * falls to 0 along a cubic with the ends and slopes of half a cosine, whose last bits would depend
 * on the engine.
 */
export function schedule(step: number, steps: number): number {
  const warmUp = Math.min(1, (step + 1) / warmUpSteps);
  const t = step / steps;
  return warmUp * (1 - t * t * (3 - 2 * t));
}
