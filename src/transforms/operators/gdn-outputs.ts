/**
 * y of a layer in the form "column", and nothing else:
 *
 *   z = H x,   D = β + γ u with u_j = |z_j|^α_j,   y_i = z_i D_i^−ε_i
 *
 * The kernels' pass goes on to the log-determinant, an elimination for each sample. A fit wants
 * that too, but gets it with the gradients: what a stage hands on to the next one is wanted before.
 *
 * Cost: N² multiplications a sample instead of N³/3.
 */
import type { FloatArray, GdnParameters, Kernels } from "../../kernels/kernels.js";

export class GdnOutputs {
  private readonly linearTransposed: FloatArray | null;
  private readonly gammaTransposed: FloatArray;
  /** One value for each of `rows` samples and each component, as the kernels want it. */
  private readonly alpha: FloatArray;
  private readonly negativeEpsilon: FloatArray;
  private readonly beta: FloatArray;
  private readonly n: number;

  constructor(
    private readonly kernels: Kernels,
    { dimension: n, H, alpha, beta, gamma, epsilon }: GdnParameters,
    /** Samples at a time. */
    private readonly rows: number,
  ) {
    this.n = n;
    this.linearTransposed = H && this.filled(n * n, (k) => H[(k % n) * n + Math.floor(k / n)]);
    this.gammaTransposed = this.filled(n * n, (k) => gamma[(k % n) * n + Math.floor(k / n)]);
    this.alpha = this.filled(rows * n, (k) => alpha[k % n]);
    this.negativeEpsilon = this.filled(rows * n, (k) => -epsilon[k % n]);
    this.beta = beta;
  }

  /** Returns the samples of which D leaves the range of the kernels: their y is not to be used. */
  compute(x: FloatArray, count: number, y: FloatArray): ReadonlySet<number> {
    const { n, rows } = this;
    const lost = new Set<number>();
    for (let first = 0; first < count; first += rows) {
      const end = n * Math.min(count, first + rows);
      this.computeSome(x.subarray(first * n, end), y.subarray(first * n, end), (k) => {
        lost.add(first + Math.floor(k / n));
      });
    }
    return lost;
  }

  private computeSome(x: FloatArray, y: FloatArray, lose: (k: number) => void): void {
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
      if (!Number.isFinite(pool[k])) lose(k);
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
