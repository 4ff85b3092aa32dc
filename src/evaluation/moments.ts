/**
 * Mean, variance and excess kurtosis of values that come in batches, updated value by value (Pébay
 * 2008): with δ = x − mean and M_p the sums of the p-th powers of deviations from the mean. Sums of
 * plain powers would cancel.
 */
export class MomentAccumulator {
  private n = 0;
  private meanSoFar = 0;
  private m2 = 0;
  private m3 = 0;
  private m4 = 0;

  add(values: ArrayLike<number>): this {
    for (let i = 0; i < values.length; i++) {
      const before = this.n;
      const n = ++this.n;
      const delta = values[i] - this.meanSoFar;
      const part = delta / n;
      const term = delta * part * before;
      this.meanSoFar += part;
      this.m4 +=
        term * part * part * (n * n - 3 * n + 3) + 6 * part * part * this.m2 - 4 * part * this.m3;
      this.m3 += term * part * (n - 2) - 3 * part * this.m2;
      this.m2 += term;
    }
    return this;
  }

  get count(): number {
    return this.n;
  }

  get mean(): number {
    return this.n > 0 ? this.meanSoFar : NaN;
  }

  /** Mean squared deviation from the mean (divided by n). */
  get variance(): number {
    return this.m2 / this.n;
  }

  /** n M₄ / M₂² − 3: 0 for a normal distribution, 3 for Laplace's; NaN if all values are equal. */
  get excessKurtosis(): number {
    return (this.n * this.m4) / (this.m2 * this.m2) - 3;
  }
}

/** Measures how heavy the tails are; 0 for a normal distribution. */
export function excessKurtosis(values: ArrayLike<number>): number {
  return new MomentAccumulator().add(values).excessKurtosis;
}
