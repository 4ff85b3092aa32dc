/**
 * Computes only y for a layer in the form "column":
 *
 *   z = H x,   D = β + γ u with u_j = |z_j|^α_j,   y_i = z_i D_i^−ε_i
 *
 * A fit needs y first, as the input of the next stage; the log-determinant, an elimination per
 * sample, comes later with the gradients.
 *
 * Cost: N² multiplications per sample instead of N³/3.
 */
import type { FloatArray, GdnParameters, Kernels } from "../../kernels/kernels.js";

export class GdnOutputs {
  private readonly linearTransposed: FloatArray | null;
  private readonly gammaTransposed: FloatArray;
  /** α repeated for each of `rows` samples, as the kernels expect it. */
  private readonly alpha: FloatArray;
  private readonly negativeEpsilon: FloatArray;
  private readonly beta: FloatArray;
  private readonly n: number;

  constructor(
    private readonly kernels: Kernels,
    { dimension: n, H, alpha, beta, gamma, epsilon }: GdnParameters,
    /** Samples per block. */
    private readonly rows: number,
  ) {
    this.n = n;
    this.linearTransposed = H && this.filled(n * n, (k) => H[(k % n) * n + Math.floor(k / n)]);
    this.gammaTransposed = this.filled(n * n, (k) => gamma[(k % n) * n + Math.floor(k / n)]);
    this.alpha = this.filled(rows * n, (k) => alpha[k % n]);
    this.negativeEpsilon = this.filled(rows * n, (k) => -epsilon[k % n]);
    this.beta = beta;
  }

  /** Returns the samples whose D overflows: their y must not be used. */
  compute(x: FloatArray, count: number, y: FloatArray): ReadonlySet<number> {
    const { n, rows } = this;
    const overflowed = new Set<number>();
    for (let first = 0; first < count; first += rows) {
      const end = n * Math.min(count, first + rows);
      this.computeBlock(x.subarray(first * n, end), y.subarray(first * n, end), (k) => {
        overflowed.add(first + Math.floor(k / n));
      });
    }
    return overflowed;
  }

  private computeBlock(x: FloatArray, y: FloatArray, report: (k: number) => void): void {
    const { kernels, n, beta, linearTransposed } = this;
    const { length } = x;
    const sizes = { rows: length / n, inner: n, columns: n };
    const z = linearTransposed ? kernels.floats(length) : x;
    if (linearTransposed) kernels.multiply(x, linearTransposed, z, sizes);
    const [power, pool] = [kernels.floats(length), kernels.floats(length)];
    for (let k = 0; k < length; k++) power[k] = Math.abs(z[k]);
    kernels.pow(power, this.alpha.subarray(0, length), power);
    kernels.multiply(power, this.gammaTransposed, pool, sizes);
    for (let k = 0; k < length; k++) {
      pool[k] += beta[k % n];
      if (!Number.isFinite(pool[k])) report(k);
    }
    kernels.pow(pool, this.negativeEpsilon.subarray(0, length), pool);
    for (let k = 0; k < length; k++) y[k] = z[k] * pool[k];
  }

  private filled(length: number, value: (k: number) => number): FloatArray {
    const values = this.kernels.floats(length);
    for (let k = 0; k < length; k++) values[k] = value(k);
    return values;
  }
}
