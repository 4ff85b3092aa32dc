/**
 * Sums of densities as logarithms, one leaf l after the other. With t_l = log(w_l q_l(g_l x)),
 * m = max t_l and S = Σ e^(t_l − m),
 *
 *   log p(x)   = m + log S
 *   ∇ log p(x) = Σ e^(t_l − m) ∇t_l / S
 *   r_l        = e^(t_l − m) / S          responsibilities
 *
 * When a leaf raises m, the sums so far are multiplied by e^(old m − new m). The exponents are at
 * most 0, so nothing overflows. The leaves come in a fixed order, so the bits are reproducible.
 */
import type { FloatArray } from "../../kernels/kernels.js";
import { portableExp } from "../../numbers/exponential.js";
import { portableLog } from "../../numbers/logarithm.js";

export class LogSum {
  private readonly largest: Float64Array;
  private readonly sum: Float64Array;
  private readonly gradient: Float64Array | null;

  constructor(
    private readonly count: number,
    private readonly dimension: number,
    wantsGradient: boolean,
  ) {
    this.largest = new Float64Array(count).fill(-Infinity);
    this.sum = new Float64Array(count);
    this.gradient = wantsGradient ? new Float64Array(count * dimension) : null;
  }

  /** Adds t_l of each sample, NaN where the leaf has no density, and ∇t_l. */
  add(terms: Float64Array, gradient: FloatArray | null): void {
    const { largest, sum } = this;
    for (let s = 0; s < this.count; s++) {
      const term = terms[s];
      if (Number.isNaN(term)) continue;
      const isNew = term > largest[s];
      const share = isNew ? 1 : portableExp(term - largest[s]);
      const kept = isNew ? portableExp(largest[s] - term) : 1;
      if (isNew) largest[s] = term;
      sum[s] = kept * sum[s] + share;
      // A share of 0 must not multiply a gradient that is not finite.
      if (gradient && share > 0) this.addGradient(s, kept, share, gradient);
    }
  }

  private addGradient(s: number, kept: number, share: number, gradient: FloatArray): void {
    const total = this.gradient as Float64Array;
    const n = this.dimension;
    // Neither must a sum that is kept with the factor 0.
    if (kept === 0) total.fill(0, s * n, (s + 1) * n);
    for (let k = s * n; k < (s + 1) * n; k++) total[k] = kept * total[k] + share * gradient[k];
  }

  /** Returns log p(x) of each sample; NaN if no leaf has a density there. */
  logProb(): Float64Array {
    return this.largest.map((value, s) =>
      this.sum[s] > 0 ? value + portableLog(this.sum[s]) : NaN,
    );
  }

  /** Writes ∇ log p(x), count×N. */
  writeScore(score: FloatArray): void {
    const total = this.gradient as Float64Array;
    const n = this.dimension;
    for (let k = 0; k < score.length; k++) score[k] = total[k] / this.sum[Math.floor(k / n)];
  }

  /** Turns the terms of a leaf into its responsibilities; 0 where it has no density. */
  responsibilities(terms: Float64Array): Float64Array {
    return terms.map((term, s) =>
      Number.isNaN(term) ? 0 : portableExp(term - this.largest[s]) / this.sum[s],
    );
  }
}
