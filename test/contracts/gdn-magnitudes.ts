/**
 * Magnitudes of the summed terms of a GDN pass: the formulas of reference/gdn.ts with all signs
 * positive. Rounding errors are proportional to them, not to the sum, in which terms may cancel.
 */
import type { FloatArray, GdnGradient, GdnParameters } from "../../src/kernels/kernels.js";
import { lowRankParts, writeOutLowRank } from "../../src/kernels/low-rank.js";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import { float32Epsilon, smallestFloat32 } from "../support/expect-close.js";
import { type GdnCase, gradientResults } from "../support/gdn-layers.js";

// The kernels use ε ≥ 1e-9 in M, take |z| ≤ 1e-37 as 0 (kernels/gdn-layer.ts), and round a small
// |z|^α to a denormal. For ε and |z|^α of this size these are errors of one rounding; smaller
// values get the same magnitudes.
const epsilonFloor = 1e-9 / float32Epsilon;
const magnitudeFloor = 1e-37;
const powerFloor = smallestFloat32 / float32Epsilon;
const powerFloorAtZero = magnitudeFloor / float32Epsilon;

export interface GdnMagnitudes {
  readonly sums: GdnGradient;
  readonly xGradient: FloatArray;
  /** Largest ‖(I − M)⁻¹‖∞ of the samples, which bounds the amplification of a rounding of M. */
  readonly condition: number;
}

export function gdnMagnitudes(
  { parameters, x, count }: Pick<GdnCase, "parameters" | "x" | "count">,
  upstream: FloatArray | null,
): GdnMagnitudes {
  const n = parameters.dimension;
  const { sums, xGradient } = gradientResults(referenceKernels, parameters, count);
  for (const sum of Object.values<FloatArray | null>(sums)) sum?.fill(0);
  const fullGamma = new Float64Array(n * n);
  let condition = 1;
  for (let s = 0; s < count; s += 1) {
    const row = (values: FloatArray): FloatArray => values.subarray(s * n, (s + 1) * n);
    const sample = magnitudesOfSample(
      parameters,
      row(x),
      upstream && row(upstream),
      sums,
      fullGamma,
    );
    xGradient?.set(sample.xGradient, s * n);
    condition = Math.max(condition, sample.condition);
  }
  collectGamma(parameters, fullGamma, sums.gamma);
  return { sums, xGradient: xGradient as FloatArray, condition };
}

/** Terms of one sample, with α and γ as N×N matrices. */
interface Terms {
  readonly z: Float64Array;
  readonly alpha: Float64Array;
  readonly gamma: Float64Array;
  readonly u: Float64Array;
  readonly D: Float64Array;
  /** (I − M)⁻¹ */
  readonly inverse: Float64Array;
}

function termsOf(parameters: GdnParameters, x: FloatArray): Terms {
  const { form, dimension: n, H, beta } = parameters;
  const z = new Float64Array(x);
  if (H) referenceKernels.multiply(H, x, z, { rows: n, inner: n, columns: 1 });
  const [alpha, gamma, u, M, inverse] = Array.from({ length: 5 }, () => new Float64Array(n * n));
  const D = Float64Array.from(beta);
  const weights = writtenOut(parameters);
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j < n; j += 1) {
      const ij = i * n + j;
      alpha[ij] = parameters.alpha[form === "general" ? ij : j];
      gamma[ij] = weights[ij];
      const power = Math.abs(z[j]) ** alpha[ij];
      D[i] += gamma[ij] * power;
      M[ij] = Math.max(parameters.epsilon[i], epsilonFloor) * alpha[ij] * gamma[ij] * power;
      u[ij] = Math.max(power, Math.abs(z[j]) > magnitudeFloor ? powerFloor : powerFloorAtZero);
    }
    for (let j = 0; j < n; j += 1) M[i * n + j] /= D[i];
  }
  referenceKernels.invertIdentityMinus(M, n, 1, inverse, new Float64Array(1), new Int32Array(1));
  return { z, alpha, gamma, u, D, inverse };
}

function magnitudesOfSample(
  parameters: GdnParameters,
  x: FloatArray,
  upstream: FloatArray | null,
  sums: GdnGradient,
  fullGamma: Float64Array,
): { xGradient: Float64Array; condition: number } {
  const { form, dimension: n, H } = parameters;
  const { z, alpha, gamma, u, D, inverse } = termsOf(parameters, x);
  const zGradient = new Float64Array(n);
  for (let i = 0; i < n; i += 1) {
    const epsilon = Math.max(parameters.epsilon[i], epsilonFloor);
    const gain = D[i] ** -parameters.epsilon[i];
    const y = Math.abs(z[i]) * gain;
    const g = upstream ? Math.abs(upstream[i]) : y;
    let rOverEpsilon = 0;
    for (let j = 0; j < n; j += 1) {
      const ij = i * n + j;
      rOverEpsilon += (Math.abs(inverse[j * n + i]) * alpha[ij] * gamma[ij] * u[ij]) / D[i];
    }
    const poolGradient = (epsilon * (1 + g * y + rOverEpsilon)) / D[i];
    sums.beta[i] += poolGradient;
    // A rounding of D changes log D by the same amount, even if log D is near 0.
    sums.epsilon[i] += (1 + g * y) * (1 + Math.abs(Math.log(D[i]))) + rOverEpsilon;
    zGradient[i] += g * gain;
    for (let j = 0; j < n; j += 1) {
      const ij = i * n + j;
      const weight = (Math.abs(inverse[j * n + i]) * epsilon) / D[i];
      const gammaGradient = (poolGradient + weight * alpha[ij]) * u[ij];
      fullGamma[ij] += gammaGradient;
      // The same for log |z|: with a linear part z is rounded.
      const logarithm = Math.abs(Math.log(Math.max(Math.abs(z[j]), magnitudeFloor))) + (H ? 1 : 0);
      const alphaGradient = gamma[ij] * (gammaGradient * logarithm + weight * u[ij]);
      sums.alpha[form === "general" ? ij : j] += alphaGradient;
      if (Math.abs(z[j]) > magnitudeFloor)
        zGradient[j] += (alpha[ij] * gamma[ij] * gammaGradient) / Math.abs(z[j]);
    }
  }
  // Products with |z_j|^α may be denormal, too, before the division by z_j.
  for (let j = 0; j < n; j += 1) {
    if (Math.abs(z[j]) > magnitudeFloor) zGradient[j] += powerFloor / Math.abs(z[j]);
  }
  return { xGradient: pullBack(H, x, zGradient, sums), condition: rowSumNorm(inverse, n) };
}

/** Returns γ as an N×N matrix. */
function writtenOut({ form, dimension: n, rank = 0, gamma }: GdnParameters): FloatArray {
  if (form === "low-rank") return writeOutLowRank(gamma, n, rank);
  if (form !== "diagonal") return gamma;
  return Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? gamma[k % n] : 0));
}

/** Adds ∂L/∂γ (N×N) to the gradients of the stored values of γ. */
function collectGamma(
  { form, dimension: n, rank = 0, gamma }: GdnParameters,
  full: Float64Array,
  sums: FloatArray,
): void {
  if (form === "general" || form === "column") {
    sums.set(full);
    return;
  }
  for (let i = 0; i < n; i += 1) sums[i] = full[i * n + i];
  if (form === "diagonal") return;
  const [values, target] = [lowRankParts(gamma, n, rank), lowRankParts(sums, n, rank)];
  for (let r = 0; r < rank; r += 1) {
    const [U, V, ofU, ofV] = [values.U[r], values.V[r], target.U[r], target.V[r]];
    for (let i = 0; i < n; i += 1) {
      for (let j = 0; j < n; j += 1) {
        ofU[i] += full[i * n + j] * V[j];
        ofV[j] += full[i * n + j] * U[i];
      }
    }
  }
}

function pullBack(
  H: FloatArray | null,
  x: FloatArray,
  zGradient: Float64Array,
  sums: GdnGradient,
): Float64Array {
  if (!H || !sums.H) return zGradient;
  const n = x.length;
  const xGradient = new Float64Array(n);
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j < n; j += 1) {
      sums.H[i * n + j] += zGradient[i] * Math.abs(x[j]);
      xGradient[j] += Math.abs(H[i * n + j]) * zGradient[i];
    }
  }
  return xGradient;
}

function rowSumNorm(matrix: Float64Array, n: number): number {
  let norm = 0;
  for (let i = 0; i < n; i += 1) {
    let sum = 0;
    for (let j = 0; j < n; j += 1) sum += Math.abs(matrix[i * n + j]);
    norm = Math.max(norm, sum);
  }
  return norm;
}
