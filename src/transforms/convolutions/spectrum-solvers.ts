/**
 * Log-determinants and inverses of complex matrices, one after the other: in Float64, or by the
 * kernels in their precision, which take half the time for the inverse (a log-determinant alone is
 * no faster). The kernels handle real matrices only, but A + iB acts on (Re x, Im x) as
 *
 *   M = ( A  −B )        log |det (A + iB)| = ½ log |det M|
 *       ( B   A )        the singular values of M are those of A + iB, each twice
 */
import { type ComplexArray, complexArray } from "../../fourier/complex-array.js";
import type { FloatArray, Kernels } from "../../kernels/kernels.js";
import { createRandom } from "../../random/random-stream.js";
import { ComplexElimination } from "./complex-elimination.js";

export interface SpectrumSolver {
  /** Factors the next matrix; returns log |det|, or −∞ if it is singular in this precision. */
  factor(matrix: ComplexArray): number;
  /** Returns the inverse of that matrix. */
  inverse(): ComplexArray;
  /** Replaces v, real parts first, by (A⁻¹)ᴴ A⁻¹ v; returns ‖A⁻¹ v‖. */
  iterate(v: Float64Array): number;
}

/** Returns a solver in Float64, or one for Float32 kernels if given. */
export function spectrumSolver(n: number, kernels?: Kernels): SpectrumSolver {
  return kernels && kernels.name !== "reference"
    ? new KernelSolver(n, kernels)
    : new Float64Solver(n);
}

class Float64Solver implements SpectrumSolver {
  private readonly elimination: ComplexElimination;
  private readonly result: ComplexArray;

  constructor(private readonly n: number) {
    this.elimination = new ComplexElimination(n);
    this.result = complexArray(n * n);
  }

  factor(matrix: ComplexArray): number {
    return this.elimination.factor(matrix);
  }

  inverse(): ComplexArray {
    this.elimination.inverse(this.result);
    return this.result;
  }

  iterate(v: Float64Array): number {
    const vector = { real: v.subarray(0, this.n), imaginary: v.subarray(this.n) };
    this.elimination.solve(vector);
    const length = lengthOf(v);
    this.elimination.solveAdjoint(vector);
    return length;
  }
}

class KernelSolver implements SpectrumSolver {
  private readonly matrix: FloatArray;
  private readonly inverted: FloatArray;
  private readonly result: ComplexArray;

  constructor(
    private readonly n: number,
    private readonly kernels: Kernels,
  ) {
    this.matrix = kernels.floats(4 * n * n);
    this.inverted = kernels.floats(4 * n * n);
    this.result = complexArray(n * n);
  }

  factor({ real, imaginary }: ComplexArray): number {
    const { n, matrix } = this;
    for (let i = 0; i < n; i++) {
      const [upper, lower] = [i * 2 * n, (i + n) * 2 * n];
      for (let j = 0; j < n; j++) {
        const re = real[i * n + j];
        const im = imaginary[i * n + j];
        matrix[upper + j] = re;
        matrix[upper + n + j] = -im;
        matrix[lower + j] = im;
        matrix[lower + n + j] = re;
      }
    }
    const logAbsDeterminant = this.kernels.invert(matrix, 2 * n, this.inverted) / 2;
    return Number.isNaN(logAbsDeterminant) ? -Infinity : logAbsDeterminant;
  }

  inverse(): ComplexArray {
    const { n, inverted, result } = this;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        result.real[i * n + j] = inverted[i * 2 * n + j];
        result.imaginary[i * n + j] = inverted[(i + n) * 2 * n + j];
      }
    }
    return result;
  }

  iterate(v: Float64Array): number {
    const { inverted } = this;
    const w = new Float64Array(v.length);
    for (let i = 0; i < v.length; i++) {
      let sum = 0;
      for (let j = 0; j < v.length; j++) sum += inverted[i * v.length + j] * v[j];
      w[i] = sum;
    }
    v.fill(0);
    for (let i = 0; i < v.length; i++) {
      for (let j = 0; j < v.length; j++) v[j] += inverted[i * v.length + j] * w[i];
    }
    return lengthOf(w);
  }
}

function lengthOf(v: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < v.length; k++) sum += v[k] * v[k];
  return Math.sqrt(sum);
}

const fewSteps = 6;
const manySteps = 100;
/** Relative change below which an estimate has settled. */
const settled = 1e-5;

/**
 * Smallest singular value of many matrices, by inverse iteration (Golub & Van Loan, §8.2):
 *
 *   v ← (AᴴA)⁻¹ v,   1/‖A⁻¹ v‖ ↓ σ_min  for ‖v‖ = 1
 *
 * Estimates decrease towards the value, ever more slowly. A few steps are enough to find the matrix
 * with the smallest one; only that matrix is iterated until the estimate settles.
 */
export class SmallestSingularValue {
  private readonly start: Float64Array;

  constructor(n: number) {
    // A random direction, so that none is missed.
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
