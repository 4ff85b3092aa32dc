/**
 * The smallest singular value of many matrices, by inverse iteration (Golub & Van Loan, §8.2):
 *
 *   v ← (AᴴA)⁻¹ v,   1/‖A⁻¹ v‖ ↓ σ_min  for ‖v‖ = 1
 *
 * Estimates come from above and fall in every step, most in the first ones. A matrix that is still far above the smallest found
 * so far is left after a few.
 */
import { createRandom } from "../../random/random-stream.js";
import { type SpectrumSolver, lengthOf } from "./spectrum-solvers.js";

const fewSteps = 4;
const mostSteps = 200;
/** Change of the estimate, as a part of it, at which it counts as settled. */
const settled = 1e-7;
/** How many times as large as the smallest so far counts as far above. */
const farAbove = 4;

export class SmallestSingularValue {
  /** Over all matrices seen so far. */
  value = Infinity;
  private readonly start: Float64Array;

  constructor(n: number) {
    // No direction is preferred, so that none is missed.
    this.start = createRandom(1, "smallest-singular-value").normalFill(new Float64Array(2 * n));
    scaleToUnit(this.start);
  }

  /** Looks at the matrix that the solver has. */
  include(solver: SpectrumSolver): void {
    const v = this.start.slice();
    let estimate = Infinity;
    for (let step = 0; step < mostSteps; step++) {
      const next = 1 / solver.iterate(v);
      const hasSettled = estimate - next <= settled * next;
      estimate = Math.min(estimate, next);
      if (hasSettled || (step >= fewSteps && estimate > farAbove * this.value)) break;
      scaleToUnit(v);
    }
    this.value = Math.min(this.value, estimate);
  }
}

function scaleToUnit(v: Float64Array): void {
  const length = lengthOf(v);
  for (let k = 0; k < v.length; k++) v[k] /= length;
}
