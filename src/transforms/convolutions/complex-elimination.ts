/**
 * Elimination of complex matrices with row pivoting, in Float64 (Golub & Van Loan, §3.4):
 *
 *   P A = L U,   log |det A| = Σ_k log |U_kk|
 *
 *   symbol  where                              shape
 *   L, U    factors: L below its diagonal of ones, U on and above the diagonal
 *   P       order: row k of P A is row order[k] of A
 *
 * Cost: n³/3 complex products for the factors, n² to solve, n³ for the inverse.
 */
import { type ComplexArray, complexArray } from "../../fourier/complex-array.js";
import { portableLog } from "../../numbers/logarithm.js";
import type { ComplexMatrix } from "./spectrum-block.js";

/** A matrix with a squared pivot below this, the smallest normal number, counts as singular. */
const smallestSquare = 2 ** -1022;
/**
 * A pivot is a rounding error, and the matrix singular, if it is below n times this relative to the
 * original entries of both its row and its column. (A row or column may be small as a whole.)
 */
const roundingError = 2 ** -52;

/** Columns that are eliminated together, to read and write the rest of the matrix less often. */
const panel = 8;
/** Columns of a triangular matrix that are processed together, including zeros. */
const triangleStep = 32;

/** Factors of an n×n matrix; reuses its memory for the next one. */
export class ComplexElimination {
  private readonly factors: ComplexArray;
  private readonly order: Int32Array;
  private readonly row: ComplexArray;
  /** Squares of the largest original entries of rows and columns. */
  private readonly rowSquares: Float64Array;
  private readonly columnSquares: Float64Array;

  constructor(readonly n: number) {
    this.factors = complexArray(n * n);
    this.order = new Int32Array(n);
    this.row = complexArray(n);
    this.rowSquares = new Float64Array(n);
    this.columnSquares = new Float64Array(n);
  }

  /** Factors a matrix; returns log |det|, or −∞ for a singular matrix, which cannot be solved. */
  factor(matrix: ComplexMatrix): number {
    const { n, factors, order } = this;
    factors.real.set(matrix.real);
    factors.imaginary.set(matrix.imaginary);
    for (let k = 0; k < n; k++) order[k] = k;
    this.measureEntries();
    let logAbsDeterminant = 0;
    for (let first = 0; first < n; first += panel) {
      const end = Math.min(first + panel, n);
      logAbsDeterminant += this.factorPanel(first, end);
      if (logAbsDeterminant === -Infinity) return -Infinity;
      for (let i = first + 1; i < n; i++) {
        subtractRows(factors, factors, n, i, { first, end: Math.min(end, i) }, end, n);
      }
    }
    return logAbsDeterminant;
  }

  /** Eliminates columns `first` to `end`, without the columns to their right. */
  private factorPanel(first: number, end: number): number {
    const { n, factors } = this;
    let logAbsDeterminant = 0;
    for (let p = first; p < end; p++) {
      this.swapRows(p, this.largestRow(p));
      const square = squareAt(factors, p * n + p);
      if (!(square >= this.leastSquare(p) && square < Infinity)) return -Infinity;
      logAbsDeterminant += portableLog(square) / 2;
      for (let i = p + 1; i < n; i++) {
        divideBy(factors, i * n + p, factors, p * n + p, 1);
        subtractRows(factors, factors, n, i, { first: p, end: p + 1 }, p + 1, end);
      }
    }
    return logAbsDeterminant;
  }

  private measureEntries(): void {
    const { n, factors, rowSquares, columnSquares } = this;
    rowSquares.fill(0);
    columnSquares.fill(0);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        const square = squareAt(factors, i * n + j);
        rowSquares[i] = Math.max(rowSquares[i], square);
        columnSquares[j] = Math.max(columnSquares[j], square);
      }
    }
  }

  /** Smallest squared pivot that is more than a rounding error. */
  private leastSquare(p: number): number {
    const { n, order, rowSquares, columnSquares } = this;
    const scale = Math.min(rowSquares[order[p]], columnSquares[p]);
    return Math.max(smallestSquare, n * roundingError * (n * roundingError) * scale);
  }

  private largestRow(p: number): number {
    const { n, factors } = this;
    let [best, most] = [p, squareAt(factors, p * n + p)];
    for (let i = p + 1; i < n; i++) {
      const square = squareAt(factors, i * n + p);
      if (square > most) [best, most] = [i, square];
    }
    return best;
  }

  private swapRows(p: number, q: number): void {
    if (p === q) return;
    const { n, order } = this;
    [order[p], order[q]] = [order[q], order[p]];
    for (const part of [this.factors.real, this.factors.imaginary]) {
      const kept = part.slice(p * n, (p + 1) * n);
      part.copyWithin(p * n, q * n, (q + 1) * n);
      part.set(kept, q * n);
    }
  }

  /** Overwrites b with A⁻¹ b. */
  solve({ real, imaginary }: ComplexArray): void {
    const { n, factors, order, row } = this;
    for (let k = 0; k < n; k++) {
      row.real[k] = real[order[k]];
      row.imaginary[k] = imaginary[order[k]];
    }
    for (let i = 0; i < n; i++) subtractProducts(row, factors, i, i * n, 1, 0, i, 1);
    for (let i = n - 1; i >= 0; i--) {
      subtractProducts(row, factors, i, i * n, 1, i + 1, n, 1);
      divideBy(row, i, factors, i * n + i, 1);
    }
    real.set(row.real);
    imaginary.set(row.imaginary);
  }

  /** Overwrites b with A⁻ᴴ b, the adjoint of the inverse. */
  solveAdjoint({ real, imaginary }: ComplexArray): void {
    const { n, factors, order, row } = this;
    row.real.set(real.subarray(0, n));
    row.imaginary.set(imaginary.subarray(0, n));
    for (let i = 0; i < n; i++) {
      subtractProducts(row, factors, i, i, n, 0, i, -1);
      divideBy(row, i, factors, i * n + i, -1);
    }
    for (let i = n - 1; i >= 0; i--) subtractProducts(row, factors, i, i, n, i + 1, n, -1);
    for (let k = 0; k < n; k++) {
      real[order[k]] = row.real[k];
      imaginary[order[k]] = row.imaginary[k];
    }
  }

  /**
   * Computes A⁻¹ = U⁻¹ L⁻¹ P: the rows of L⁻¹, which is triangular, too, then those of U⁻¹ L⁻¹, and
   * finally permutes the columns.
   */
  inverse(target: ComplexArray): void {
    const { n, factors } = this;
    target.real.fill(0);
    target.imaginary.fill(0);
    for (let i = 0; i < n; i++) {
      target.real[i * n + i] = 1;
      for (let first = 0; first < i; first += triangleStep) {
        const end = Math.min(first + triangleStep, i);
        subtractRows(target, factors, n, i, { first, end }, 0, end);
      }
    }
    for (let i = n - 1; i >= 0; i--) {
      subtractRows(target, factors, n, i, { first: i + 1, end: n }, 0, n);
      for (let k = 0; k < n; k++) divideBy(target, i * n + k, factors, i * n + i, 1);
    }
    this.restoreColumns(target.real);
    this.restoreColumns(target.imaginary);
  }

  /** Undoes the permutation: permuted rows of A are permuted columns of its inverse. */
  private restoreColumns(part: Float64Array): void {
    const { n, order } = this;
    const row = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      row.set(part.subarray(i * n, (i + 1) * n));
      for (let k = 0; k < n; k++) part[i * n + order[k]] = row[k];
    }
  }
}

function squareAt({ real, imaginary }: ComplexArray, k: number): number {
  return real[k] * real[k] + imaginary[k] * imaginary[k];
}

/**
 * Subtracts Σ_j f_ij times row j of x from row i, for a range of rows j and the columns from `from`
 * to `to`.
 */
function subtractRows(
  x: ComplexArray,
  f: ComplexArray,
  n: number,
  i: number,
  { first, end }: { readonly first: number; readonly end: number },
  from: number,
  to: number,
): void {
  let j = first;
  for (; j + 4 <= end; j += 4) subtractFourRows(x, f, n, i, j, from, to);
  for (; j < end; j++) {
    const re = f.real[i * n + j];
    const im = f.imaginary[i * n + j];
    for (let k = from, row = i * n, other = j * n; k < to; k++) {
      const a = x.real[other + k];
      const b = x.imaginary[other + k];
      x.real[row + k] -= re * a - im * b;
      x.imaginary[row + k] -= re * b + im * a;
    }
  }
}

/** Does the same for rows j to j + 3 at once, to read and write row i less often. */
function subtractFourRows(
  { real: x, imaginary: y }: ComplexArray,
  { real, imaginary }: ComplexArray,
  n: number,
  i: number,
  j: number,
  from: number,
  to: number,
): void {
  const at = i * n + j;
  const a0 = real[at];
  const a1 = real[at + 1];
  const a2 = real[at + 2];
  const a3 = real[at + 3];
  const b0 = imaginary[at];
  const b1 = imaginary[at + 1];
  const b2 = imaginary[at + 2];
  const b3 = imaginary[at + 3];
  const shift = (j - i) * n;
  for (let k = i * n + from; k < i * n + to; k++) {
    const k0 = k + shift;
    const k1 = k0 + n;
    const k2 = k1 + n;
    const k3 = k2 + n;
    x[k] -=
      a0 * x[k0] -
      b0 * y[k0] +
      (a1 * x[k1] - b1 * y[k1]) +
      (a2 * x[k2] - b2 * y[k2] + (a3 * x[k3] - b3 * y[k3]));
    y[k] -=
      a0 * y[k0] +
      b0 * x[k0] +
      (a1 * y[k1] + b1 * x[k1]) +
      (a2 * y[k2] + b2 * x[k2] + (a3 * y[k3] + b3 * x[k3]));
  }
}

/** v_i −= Σ_{first ≤ k < end} m_k v_k, with m_k = m[start + k·step], conjugated if sign is −1. */
function subtractProducts(
  v: ComplexArray,
  { real, imaginary }: ComplexArray,
  i: number,
  start: number,
  step: number,
  first: number,
  end: number,
  sign: 1 | -1,
): void {
  let [re, im] = [v.real[i], v.imaginary[i]];
  for (let k = first; k < end; k++) {
    const a = real[start + k * step];
    const b = sign * imaginary[start + k * step];
    re -= a * v.real[k] - b * v.imaginary[k];
    im -= a * v.imaginary[k] + b * v.real[k];
  }
  v.real[i] = re;
  v.imaginary[i] = im;
}

/** Divides v_i by entry k of a matrix, or by its conjugate if sign is −1. */
function divideBy(v: ComplexArray, i: number, m: ComplexArray, k: number, sign: 1 | -1): void {
  const square = squareAt(m, k);
  const [a, b] = [m.real[k] / square, (-sign * m.imaginary[k]) / square];
  const [re, im] = [v.real[i], v.imaginary[i]];
  v.real[i] = a * re - b * im;
  v.imaginary[i] = a * im + b * re;
}
