/**
 * Log-determinants and inverses of complex matrices, one after the other: in Float64, or by the
 * kernels in their precision, which give the inverse in about half the time (a log-determinant
 * alone is no faster). These know real matrices only, but A + iB acts on (Re x, Im x) as
 *
 *   M = ( A  −B )        log |det (A + iB)| = ½ log |det M|
 *       ( B   A )        the singular values of M are those of A + iB, each twice
 */
import { type ComplexArray, complexArray } from "../../fourier/complex-array.js";
import type { FloatArray, Kernels } from "../../kernels/kernels.js";
import { ComplexElimination } from "./complex-elimination.js";

export interface SpectrumSolver {
  /** Takes the next matrix; returns log |det|, −∞ where it is singular in this precision. */
  factor(matrix: ComplexArray): number;
  /** Of that matrix. */
  inverse(): ComplexArray;
  /** Overwrites vectors, real parts first, with (A⁻¹)ᴴ A⁻¹ v; returns ‖A⁻¹ v‖. */
  iterate(v: Float64Array): number;
}

/** Without kernels, and with those that are the specification: Float64. */
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

export function lengthOf(v: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < v.length; k++) sum += v[k] * v[k];
  return Math.sqrt(sum);
}
