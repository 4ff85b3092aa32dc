/**
 * Bayesian least squares with a Gaussian scale mixture (Portilla, Strela, Wainwright & Simoncelli
 * 2003): a neighbourhood of wavelet coefficients is a normal vector u times the root of a hidden
 * scale z, seen in white noise,
 *
 *   y = √z u + w,   u ~ N(0, C_u),   w ~ N(0, σ² I),   p(z) ∝ 1/z (Jeffreys' prior)
 *
 *   E(x_c | y) = Σ_k p(z_k | y) E(x_c | y, z_k),   x = √z u
 *
 * With the eigenvectors of C_y = E y yᵀ, which are those of C_u = C_y − σ² I too:
 *
 *   λ_n = max(μ_n / σ² − 1, 0)
 *   v_n = V_n y / σ
 *   log p(y | z)  = −½ Σ_n (v_n² / (λ_n z + 1) + log(λ_n z + 1)) + constant
 *   E(x_c | y, z) = σ Σ_n V_nc v_n λ_n z / (λ_n z + 1)
 *
 *   symbol  variable    shape  meaning
 *   y       y           N      a noisy neighbourhood
 *   c       center      –      which of its coefficients is estimated
 *   μ, V    –           N, N×N eigenvalues and eigenvectors (rows) of C_y
 *   λ       lambda      N      signal to noise along the eigenvectors: C_u made positive
 *                              semidefinite
 *   z_k     scales      K      samples with equal steps of log z, for which Jeffreys' prior is
 *                              uniform
 *
 * The samples are e^−20.5 … e^3.5, as in the authors' program. The sum is the trapezoidal rule,
 * with half weight at both ends. Halving the step changes the PSNR of photographs by less than
 * 0.003 dB.
 *
 * Cost: N² + 2KN multiplications and up to K exponentials per neighbourhood.
 */
import { portableExp } from "../numbers/exponential.js";
import { portableLog, portableLog1p } from "../numbers/logarithm.js";
import { symmetricEigen } from "../transforms/symmetric-eigen.js";

const [firstLogScale, lastLogScale] = [-20.5, 3.5];

export const scales: Float64Array = Float64Array.from(
  { length: lastLogScale - firstLogScale + 1 },
  (_, k) => portableExp(firstLogScale + k),
);

/** Weights of the samples in the integral. */
export const scaleWeights: Float64Array = scales.map((_, k) =>
  k === 0 || k === scales.length - 1 ? 0.5 : 1,
);

/** Logarithm of the relative probability below which a scale is lost in rounding. */
const negligible = -40;

export interface ScaleMixtureInput {
  /** Covariance of noisy neighbourhoods, N×N. */
  readonly covariance: Float64Array;
  readonly dimension: number;
  readonly sigma: number;
  readonly center: number;
}

/** The estimator E(x_c | y). It reuses its arrays and handles one neighbourhood at a time. */
export class ScaleMixture {
  private readonly dimension: number;
  private readonly sigma: number;
  /** Eigenvectors with signal; the others tell nothing about z and contribute 0 to the estimate. */
  private readonly directions: Float64Array;
  private readonly atCenter: Float64Array;
  /** 1 / (λ_n z_k + 1) in both orders, since it is read along scales and along directions. */
  private readonly byScale: Float64Array;
  private readonly byDirection: Float64Array;
  /** log weight_k − ½ Σ_n log(λ_n z_k + 1) */
  private readonly logNorm: Float64Array;
  private readonly v: Float64Array;
  private readonly squares: Float64Array;
  private readonly probability = new Float64Array(scales.length);

  constructor({ covariance, dimension, sigma, center }: ScaleMixtureInput) {
    const { values, vectors } = symmetricEigen(covariance, dimension);
    const lambdas = values.map((mu) => mu / (sigma * sigma) - 1);
    const kept = [...lambdas.keys()].filter((n) => lambdas[n] > 0);
    const lambda = kept.map((n) => lambdas[n]);
    this.dimension = dimension;
    this.sigma = sigma;
    this.directions = Float64Array.from(
      kept.flatMap((n) => [...vectors.subarray(n * dimension, (n + 1) * dimension)]),
    );
    this.atCenter = Float64Array.from(kept, (n) => vectors[n * dimension + center]);
    const z = [...scales];
    this.byScale = Float64Array.from(z.flatMap((zk) => lambda.map((ln) => 1 / (ln * zk + 1))));
    this.byDirection = Float64Array.from(lambda.flatMap((ln) => z.map((zk) => 1 / (ln * zk + 1))));
    this.logNorm = scales.map(
      (zk, k) =>
        portableLog(scaleWeights[k]) -
        0.5 * lambda.reduce((sum, ln) => sum + portableLog1p(ln * zk), 0),
    );
    this.v = new Float64Array(kept.length);
    this.squares = new Float64Array(kept.length);
  }

  /** E(x_c | y) */
  estimate(y: Float64Array): number {
    this.project(y);
    const total = this.weigh(this.logProbabilities());
    const [v, atCenter, probability] = [this.v, this.atCenter, this.probability];
    const [byDirection, count] = [this.byDirection, probability.length];
    let estimate = 0;
    for (let n = 0; n < v.length; n++) {
      let noise = 0;
      for (let k = 0; k < count; k++) noise += probability[k] * byDirection[n * count + k];
      estimate += atCenter[n] * v[n] * (1 - noise / total);
    }
    return this.sigma * estimate;
  }

  private project(y: Float64Array): void {
    const [v, directions, dimension] = [this.v, this.directions, this.dimension];
    for (let n = 0; n < v.length; n++) {
      let sum = 0;
      for (let j = 0; j < dimension; j++) sum += directions[n * dimension + j] * y[j];
      v[n] = sum / this.sigma;
      this.squares[n] = v[n] * v[n];
    }
  }

  /** Computes log p(z_k | y) for all k, up to a constant, and returns the largest. */
  private logProbabilities(): number {
    const [squares, byScale, logNorm] = [this.squares, this.byScale, this.logNorm];
    const [logProbability, count] = [this.probability, squares.length];
    let largest = -Infinity;
    for (let k = 0; k < logNorm.length; k++) {
      let sum = 0;
      for (let n = 0; n < count; n++) sum += squares[n] * byScale[k * count + n];
      logProbability[k] = logNorm[k] - 0.5 * sum;
      if (logProbability[k] > largest) largest = logProbability[k];
    }
    return largest;
  }

  /** Replaces the logarithms by p(z_k | y), relative to the largest, and returns their sum. */
  private weigh(largest: number): number {
    const probability = this.probability;
    let total = 0;
    for (let k = 0; k < probability.length; k++) {
      const relative = probability[k] - largest;
      probability[k] = relative < negligible ? 0 : portableExp(relative);
      total += probability[k];
    }
    return total;
  }
}
