/**
 * Elimination of complex matrices with row pivoting, in Float64 (Golub & Van Loan, §3.4):
 *
 *   P A = L U,   log |det A| = Σ_k log |U_kk|
 *
 *   symbol  where                              shape
 *   L, U    factors: below the diagonal of ones, and above with it
 *   P       order: row k of P A is row order[k] of A
 *
 * Cost: n³/3 complex products for the factors, n² to solve, n³ for the inverse.
 */
import { type ComplexArray, complexArray } from "../../fourier/complex-array.js";
import { portableLog } from "../../random/portable-math.js";

/** Squares of pivots below this are no normal numbers: such a matrix counts as singular. */
const smallestSquare = 2 ** -1022;

/** Space and factors of one matrix after the other, all n×n. */
export class ComplexElimination {
  private readonly factors: ComplexArray;
  private readonly order: Int32Array;
  private readonly row: ComplexArray;

  constructor(readonly n: number) {
    this.factors = complexArray(n * n);
    this.order = new Int32Array(n);
    this.row = complexArray(n);
  }

  /** Takes a matrix apart; returns log |det|, −∞ where it is singular: nothing can be solved with it then. */
  factor(matrix: ComplexArray): number {
    const { n, factors, order } = this;
    const { real, imaginary } = factors;
    real.set(matrix.real);
    imaginary.set(matrix.imaginary);
    for (let k = 0; k < n; k++) order[k] = k;
    let logAbsDeterminant = 0;
    for (let p = 0; p < n; p++) {
      this.swapRows(p, this.largestRow(p));
      const square = squareAt(factors, p * n + p);
      if (!(square >= smallestSquare && square < Infinity)) return -Infinity;
      logAbsDeterminant += portableLog(square) / 2;
      this.eliminate(p, square);
    }
    return logAbsDeterminant;
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

  /** Subtracts multiples of row p from those below it; the factors of L stay in column p. */
  private eliminate(p: number, square: number): void {
    const { n } = this;
    const { real, imaginary } = this.factors;
    const inverseReal = real[p * n + p] / square;
    const inverseImaginary = -imaginary[p * n + p] / square;
    for (let i = p + 1; i < n; i++) {
      const [a, b] = [real[i * n + p], imaginary[i * n + p]];
      const re = a * inverseReal - b * inverseImaginary;
      const im = a * inverseImaginary + b * inverseReal;
      real[i * n + p] = re;
      imaginary[i * n + p] = im;
      subtractMultiple(real, imaginary, i * n + p + 1, p * n + p + 1, n - p - 1, re, im);
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

  /** A⁻¹ = U⁻¹ L⁻¹ P: the rows of L⁻¹, which is triangular too, then those of U⁻¹ L⁻¹, and the columns in their places. */
  inverse(target: ComplexArray): void {
    const { n } = this;
    const { real, imaginary } = this.factors;
    const [x, y] = [target.real, target.imaginary];
    x.fill(0);
    y.fill(0);
    for (let i = 0; i < n; i++) {
      x[i * n + i] = 1;
      for (let j = 0; j < i; j++) {
        subtractMultiple(x, y, i * n, j * n, j + 1, real[i * n + j], imaginary[i * n + j]);
      }
    }
    for (let i = n - 1; i >= 0; i--) {
      for (let j = i + 1; j < n; j++) {
        subtractMultiple(x, y, i * n, j * n, n, real[i * n + j], imaginary[i * n + j]);
      }
      for (let k = 0; k < n; k++) divideBy(target, i * n + k, this.factors, i * n + i, 1);
    }
    this.restoreColumns(x);
    this.restoreColumns(y);
  }

  /** The rows of A were permuted, so the columns of its inverse are. */
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

/** A run of values minus (re + i im) times another run. */
function subtractMultiple(
  real: Float64Array,
  imaginary: Float64Array,
  target: number,
  source: number,
  count: number,
  re: number,
  im: number,
): void {
  for (let k = 0; k < count; k++) {
    const a = real[source + k];
    const b = imaginary[source + k];
    real[target + k] -= re * a - im * b;
    imaginary[target + k] -= re * b + im * a;
  }
}

/** v_i −= Σ_{first ≤ k < end} m_k v_k, the m_k from `start` on in steps; of their conjugates where sign is −1. */
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

/** v_i divided by entry k of a matrix, or by its conjugate. */
function divideBy(v: ComplexArray, i: number, m: ComplexArray, k: number, sign: 1 | -1): void {
  const square = squareAt(m, k);
  const [a, b] = [m.real[k] / square, (-sign * m.imaginary[k]) / square];
  const [re, im] = [v.real[i], v.imaginary[i]];
  v.real[i] = a * re - b * im;
  v.imaginary[i] = a * im + b * re;
}
