/** Adam (Kingma & Ba 2015), over any number of parameter arrays. */
import type { FloatArray } from "../kernels/kernels.js";

export interface AdamState {
  /** Steps taken. */
  readonly steps: number;
  readonly firstMoment: readonly Float64Array[];
  readonly secondMoment: readonly Float64Array[];
}

const firstMomentDecay = 0.9;
const secondMomentDecay = 0.999;
const adamStabilizer = 1e-8;

export function startAdam(groups: readonly FloatArray[]): AdamState {
  const zeros = (): Float64Array[] => groups.map((group) => new Float64Array(group.length));
  return { steps: 0, firstMoment: zeros(), secondMoment: zeros() };
}

/**
 * θ ← θ − rate · m̂ / (√v̂ + stabilizer), in place; moments in place too. One rate for each group. Only operations that
 * IEEE 754 defines to the last bit, so that a fit is the same everywhere.
 */
export function stepAdam(
  state: AdamState,
  groups: readonly FloatArray[],
  gradients: readonly FloatArray[],
  rates: readonly number[],
): AdamState {
  const steps = state.steps + 1;
  const firstCorrection = 1 / (1 - power(firstMomentDecay, steps));
  const secondCorrection = 1 / (1 - power(secondMomentDecay, steps));
  groups.forEach((group, g) => {
    const [m, v, gradient, rate] = [
      state.firstMoment[g],
      state.secondMoment[g],
      gradients[g],
      rates[g],
    ];
    for (let k = 0; k < group.length; k++) {
      m[k] += (1 - firstMomentDecay) * (gradient[k] - m[k]);
      v[k] += (1 - secondMomentDecay) * (gradient[k] * gradient[k] - v[k]);
      group[k] -=
        (rate * m[k] * firstCorrection) / (Math.sqrt(v[k] * secondCorrection) + adamStabilizer);
    }
  });
  return { ...state, steps };
}

/** base^exponent for a whole exponent; the ** operator may differ between engines. */
function power(base: number, exponent: number): number {
  let result = 1;
  for (let factor = base, left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result *= factor;
    factor *= factor;
  }
  return result;
}
