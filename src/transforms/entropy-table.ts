/**
 * Differential entropy of numbers of variance about 1, from a histogram in w = y/(1 + |y|), which
 * takes the whole line to (−1, 1):
 *
 *   h(y) = h(w) − E ln dw/dy,   h(w) ≈ −Σ_b p_b ln(p_b/δ),   dw/dy = (1 − |w|)²
 *
 *   symbol  meaning
 *   p_b     share of bin b
 *   δ       width of a bin in w
 *
 * A value counts for the two nearest bins, for each the more the nearer it is: so that the entropy
 * of rotated data is a continuous function of the angle, and can be minimised. The bias of Miller
 * and Madow, (bins − 1)/2n, is the same for all angles and left out.
 */
import { portableLog } from "../numbers/logarithm.js";

export class EntropyTable {
  private readonly bins: number;
  private readonly counts: Float64Array;
  /** −ln dw/dy + ln δ at the middle of each bin. */
  private readonly offsets: Float64Array;

  constructor(private readonly count: number) {
    this.bins = binsFor(count);
    this.counts = new Float64Array(this.bins + 2);
    const width = 2 / this.bins;
    this.offsets = this.counts.map((_, b) => {
      // The bins at the ends are there for halves of values only; their middle is no place on the
      // line.
      const w = Math.min(1 - width / 2, Math.abs((b - 0.5) * width - 1));
      return portableLog(width) - 2 * portableLog(1 - w);
    });
  }

  clear(): void {
    this.counts.fill(0);
  }

  add(y: number): void {
    const place = (1 + y / (1 + Math.abs(y))) * (this.bins / 2) + 0.5;
    const bin = place | 0;
    const part = place - bin;
    this.counts[bin] += 1 - part;
    this.counts[bin + 1] += part;
  }

  inNats(): number {
    let sum = 0;
    for (let b = 0; b < this.counts.length; b++) {
      const share = this.counts[b] / this.count;
      // Less is a rounding, and subnormal numbers have no logarithm here.
      if (share > 1e-300) sum += share * (this.offsets[b] - portableLog(share));
    }
    return sum;
  }
}

/**
 * Measured: more follow the noise (twice as many double the error of the angle for heavy tails),
 * fewer miss the ends of uniform values.
 */
function binsFor(count: number): number {
  let root = 20;
  while (root * root * root < count) root++;
  return 2 * root;
}
