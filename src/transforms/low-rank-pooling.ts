/**
 * Low-rank approximation of a full γ, to start a fit: γ ≈ diag(g) + U Vᵀ with g, U, V ≥ 0, by least
 * squares over all entries. The best g_i is max(0, γ_ii − Σ_r U_ir V_ir), so that the diagonal
 * counts only where U Vᵀ exceeds it:
 *
 *   minimise Σ_{i ≠ j} (γ_ij − Σ_r U_ir V_jr)² + Σ_i max(0, Σ_r U_ir V_ir − γ_ii)²
 *
 * one column of U or V after the other (HALS; Cichocki & Phan 2009): with the other columns fixed,
 * each entry of a column has its minimum in closed form and does not depend on the other entries,
 * so the error falls with every update.
 *
 * Cost: N² R for each of up to `rounds` rounds.
 */
import { expected } from "../errors.js";
import { lowRankParts } from "../kernels/low-rank.js";
import { square } from "../numbers/square.js";
import { createRandom } from "../random/random-stream.js";
import { checkDimension } from "./checks.js";
import { checkRank } from "./gdn.js";

const rounds = 500;
/** Smallest entry relative to the start: from 0, an entry and its partner cannot grow in a fit. */
const smallestEntry = 1e-6;
/** Size of U Vᵀ relative to a diagonal γ: about that of the start of a full γ. */
const smallestPart = 0.001;
/** Stops when a round reduces the error by less than this fraction of γ. */
const smallestGain = 1e-9;

/**
 * Returns `gamma` for gdn({ structure: "low-rank", rank, gamma }), given an N×N matrix whose row i
 * pools for output i. The result is deterministic.
 */
export function lowRankPooling(gamma: ArrayLike<number>, n: number, rank: number): Float64Array {
  checkDimension(n);
  checkRank({ structure: "low-rank", rank });
  if (gamma.length !== n * n) {
    throw expected("gamma", `hold ${n * n} values (${n}×${n})`, gamma.length);
  }
  const target = Float64Array.from(gamma);
  target.forEach((value, k) => {
    if (value >= 0 && value < Infinity) return;
    throw expected(`gamma[${Math.floor(k / n)}][${k % n}]`, "be finite and at least 0", value);
  });
  const packed = new Float64Array((2 * rank + 1) * n);
  const { g, U, V } = lowRankParts(packed, n, rank);
  factorize(target, n, U, V);
  for (let i = 0; i < n; i++) {
    let pooled = 0;
    for (let r = 0; r < rank; r++) pooled += U[r][i] * V[r][i];
    g[i] = Math.max(0, target[i * n + i] - pooled);
  }
  return packed;
}

function factorize(
  target: Float64Array,
  n: number,
  U: readonly Float64Array[],
  V: readonly Float64Array[],
): void {
  const total = besideDiagonal(target, n);
  const random = createRandom("low-rank pooling", n, U.length);
  const fill = (size: number, least: number): void => {
    for (const column of [...U, ...V]) {
      column.forEach((_, i) => (column[i] = size * (least + (1 - least) * random.uniform())));
    }
  };
  if (total === 0) {
    // Zeros would fit better, but then all columns would stay equal in a fit, with rank one.
    fill(Math.sqrt((smallestPart * (meanOfDiagonal(target, n) || 1)) / U.length), 0.5);
    return;
  }
  // About the right size, and all columns different.
  const size = Math.sqrt(Math.sqrt(total) / (n * U.length));
  fill(size, 0);
  // The residual γ − U Vᵀ.
  const rest = target.slice();
  U.forEach((_, r) => {
    addProduct(rest, -1, U[r], V[r]);
  });
  let before = Infinity;
  for (let round = 0; round < rounds; round++) {
    U.forEach((_, r) => {
      addProduct(rest, 1, U[r], V[r]);
      updateEntries(rest, U[r], V[r], sumsBeside(rest, V[r], false), smallestEntry * size);
      updateEntries(rest, V[r], U[r], sumsBeside(rest, U[r], true), smallestEntry * size);
      addProduct(rest, -1, U[r], V[r]);
    });
    const error = besideDiagonal(rest, n) + beyondDiagonal(rest, n);
    if (before - error <= smallestGain * total) return;
    before = error;
  }
}

/** rest += sign · u vᵀ */
function addProduct(rest: Float64Array, sign: number, u: Float64Array, v: Float64Array): void {
  const n = u.length;
  for (let i = 0; i < n; i++) {
    const factor = sign * u[i];
    if (factor === 0) continue;
    for (let j = 0; j < n; j++) rest[i * n + j] += factor * v[j];
  }
}

/** Returns Σ_{j ≠ i} rest_ij b_j for every i, or of the transposed matrix. */
function sumsBeside(rest: Float64Array, b: Float64Array, isTransposed: boolean): Float64Array {
  const n = b.length;
  const sums = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (j === i) continue;
      if (isTransposed) sums[j] += rest[i * n + j] * b[i];
      else sums[i] += rest[i * n + j] * b[j];
    }
  }
  return sums;
}

/**
 * Sets the entries a_i of one column, with partner b, to the minimum of
 *
 *   Σ_{j ≠ i} (rest_ij − a_i b_j)² + max(0, a_i b_i − rest_ii)²
 *
 * This is a_i = sum_i / Σ_{j ≠ i} b_j², unless that exceeds the diagonal, a_i b_i > rest_ii: then
 * it is the minimum of both terms, a mean of a_i and rest_ii / b_i, which exceeds the diagonal,
 * too.
 */
function updateEntries(
  rest: Float64Array,
  a: Float64Array,
  b: Float64Array,
  sums: Float64Array,
  least: number,
): void {
  const n = a.length;
  const squares = squaresWithout(b);
  for (let i = 0; i < n; i++) {
    const own = rest[i * n + i];
    let best = squares[i] > 0 ? sums[i] / squares[i] : least;
    if (best * b[i] > own) best = (sums[i] + own * b[i]) / (squares[i] + b[i] * b[i]);
    a[i] = Math.max(least, best);
  }
}

/** Returns Σ_{j ≠ i} b_j², without the cancellation of subtracting a dominant b_i². */
function squaresWithout(b: Float64Array): Float64Array {
  const sums = new Float64Array(b.length);
  let [before, after] = [0, 0];
  for (let i = 0, k = b.length - 1; k >= 0; i++, k--) {
    sums[i] += before;
    sums[k] += after;
    before += b[i] * b[i];
    after += b[k] * b[k];
  }
  return sums;
}

function meanOfDiagonal(matrix: Float64Array, n: number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += matrix[i * n + i];
  return sum / n;
}

/** Returns the sum of the squares off the diagonal. */
function besideDiagonal(matrix: Float64Array, n: number): number {
  let sum = 0;
  for (let k = 0; k < matrix.length; k++) if (k % (n + 1) !== 0) sum += matrix[k] * matrix[k];
  return sum;
}

/** Returns Σ_i max(0, −rest_ii)², the error that g cannot remove. */
function beyondDiagonal(rest: Float64Array, n: number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += square(Math.min(0, rest[i * n + i]));
  return sum;
}
