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
import type { ComplexMatrix } from "./spectrum-block.js";

export interface SpectrumSolver {
  /** Factors the next matrix; returns log |det|, or −∞ if it is singular in this precision. */
  factor(matrix: ComplexMatrix): number;
  /** Returns the transpose of the inverse of that matrix. */
  transposedInverse(): ComplexMatrix;
  /**
   * Replaces v, real parts first, by CᴴC v and returns ‖C v‖, where C is the inverse or its
   * transpose: both have the same singular values.
   */
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

  factor(matrix: ComplexMatrix): number {
    return this.elimination.factor(matrix);
  }

  transposedInverse(): ComplexMatrix {
    const { n, result } = this;
    this.elimination.inverse(result);
    for (const part of [result.real, result.imaginary]) transpose(part, n);
    return result;
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
  private readonly result: ComplexMatrix;

  constructor(
    private readonly n: number,
    private readonly kernels: Kernels,
  ) {
    this.matrix = kernels.floats(4 * n * n);
    this.inverted = kernels.floats(4 * n * n);
    this.result = { real: kernels.floats(n * n), imaginary: kernels.floats(n * n) };
  }

  factor({ real, imaginary }: ComplexMatrix): number {
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
    if (Number.isNaN(logAbsDeterminant)) return -Infinity;
    this.keepTransposed();
    return logAbsDeterminant;
  }

  private keepTransposed(): void {
    const { n, inverted, result } = this;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        result.real[j * n + i] = inverted[i * 2 * n + j];
        result.imaginary[j * n + i] = inverted[(i + n) * 2 * n + j];
      }
    }
  }

  transposedInverse(): ComplexMatrix {
    return this.result;
  }

  iterate(v: Float64Array): number {
    const { n } = this;
    const { real, imaginary } = this.result;
    const [a, b] = [v.slice(0, n), v.slice(n)];
    const [x, y] = [v.fill(0).subarray(0, n), v.subarray(n)];
    let square = 0;
    for (let row = 0; row < n * n; row += n) {
      let re = 0;
      let im = 0;
      for (let j = 0; j < n; j++) {
        const c = real[row + j];
        const d = imaginary[row + j];
        re += c * a[j] - d * b[j];
        im += c * b[j] + d * a[j];
      }
      square += re * re + im * im;
      // The same row again, while it is in the cache.
      for (let j = 0; j < n; j++) {
        const c = real[row + j];
        const d = imaginary[row + j];
        x[j] += c * re + d * im;
        y[j] += c * im - d * re;
      }
    }
    return Math.sqrt(square);
  }
}

function transpose(matrix: FloatArray, n: number): void {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      const kept = matrix[i * n + j];
      matrix[i * n + j] = matrix[j * n + i];
      matrix[j * n + i] = kept;
    }
  }
}

function lengthOf(v: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < v.length; k++) sum += v[k] * v[k];
  return Math.sqrt(sum);
}

const fewSteps = 3;
const manySteps = 100;
/** Relative change below which an estimate has settled. */
const settled = 1e-4;

/** Estimate of the smallest singular value, and the direction that it was found with. */
export interface Estimate {
  readonly value: number;
  readonly v: Float64Array;
}

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

  /** Returns the estimate after a few steps. */
  coarse(solver: SpectrumSolver): Estimate {
    return iterated(solver, { value: Infinity, v: this.start }, fewSteps);
  }

  /** Improves an estimate until it settles. */
  fine(solver: SpectrumSolver, estimate: Estimate): number {
    return iterated(solver, estimate, manySteps).value;
  }
}

function iterated(solver: SpectrumSolver, { value, v: start }: Estimate, steps: number): Estimate {
  const v = start.slice();
  let estimate = value;
  for (let step = 0; step < steps; step++) {
    const next = 1 / solver.iterate(v);
    scaleToUnit(v);
    const fall = estimate - next;
    estimate = Math.min(estimate, next);
    if (fall <= settled * next) break;
  }
  return { value: estimate, v };
}

function scaleToUnit(v: Float64Array): void {
  const length = lengthOf(v);
  for (let k = 0; k < v.length; k++) v[k] /= length;
}
