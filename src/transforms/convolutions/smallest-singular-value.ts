/**
 * The smallest singular value of many matrices, by inverse iteration (Golub & Van Loan, §8.2):
 *
 *   v ← (AᴴA)⁻¹ v,   1/‖A⁻¹ v‖ ↓ σ_min  for ‖v‖ = 1
 *
 * Estimates come from above and fall in every step, by less and less. A few steps tell which matrix
 * is the one to look at; only that one is then iterated until it settles, for the rest would cost
 * more than the eliminations.
 */
import { createRandom } from "../../random/random-stream.js";
import { type SpectrumSolver, lengthOf } from "./spectrum-solvers.js";

const fewSteps = 6;
const manySteps = 100;
/** Change of the estimate, as a part of it, at which it counts as settled. */
const settled = 1e-5;

/** The estimate of the matrix that the solver has, after a few steps or when it has settled. */
export class SmallestSingularValue {
  private readonly start: Float64Array;

  constructor(n: number) {
    // No direction is preferred, so that none is missed.
    this.start = createRandom(1, "smallest-singular-value").normalFill(new Float64Array(2 * n));
    scaleToUnit(this.start);
  }

  coarse(solver: SpectrumSolver): number {
    return this.iterate(solver, fewSteps);
  }

  fine(solver: SpectrumSolver): number {
    return this.iterate(solver, manySteps);
  }

  private iterate(solver: SpectrumSolver, steps: number): number {
    const v = this.start.slice();
    let estimate = Infinity;
    for (let step = 0; step < steps; step++) {
      const next = 1 / solver.iterate(v);
      const fall = estimate - next;
      estimate = Math.min(estimate, next);
      if (fall <= settled * next) break;
      scaleToUnit(v);
    }
    return estimate;
  }
}

function scaleToUnit(v: Float64Array): void {
  const length = lengthOf(v);
  for (let k = 0; k < v.length; k++) v[k] /= length;
}
