/**
 * Independent components of pairs by trying all rotations: after whitening, y = K (x − m), only the
 * angle of a rotation is unknown. A linear map of fixed determinant does not change the joint
 * entropy, so the mutual information of the components is the sum of their entropies up to a
 * constant (Comon 1994, "Independent component analysis, a new concept?"), and
 *
 *   H = R_θ K,   θ = argmin_{0 ≤ θ < π/2} h(cos θ y_1 + sin θ y_2) + h(cos θ y_2 − sin θ y_1)
 *
 *   symbol  variable    constraint
 *   x       pairs       count×2
 *   m       mean        E(x)
 *   K       K           K C Kᵀ = I, C = E((x − m)(x − m)ᵀ)
 *   θ       t           t = tan θ/2: cos θ = (1 − t²)/(1 + t²), sin θ = 2t/(1 + t²) are the same
 *                       bits on every engine
 *   h       –           EntropyTable
 *
 * A quarter turn exchanges the components, so angles in [0, π/2), t in [0, 1), are enough. FastICA
 * (ica.ts) works in any dimension; it climbs an approximation to negentropy and may end in a local
 * maximum. Cost: 85 angles, each with two passes over the data.
 */
import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import { portableLog } from "../numbers/logarithm.js";
import { affine } from "./affine.js";
import { cascade } from "./cascade.js";
import { centred, componentMeans } from "./standardizing.js";
import { checkSamples } from "./checks.js";
import { linear } from "./linear.js";
import type { Cascade } from "./transform.js";
import { arrangeRows, pcaWhitening } from "./whitening.js";

/** Number of angles in the scan: at most 1.8° apart, so that it finds every minimum. */
const scanned = 64;
/** Golden-section steps: each leaves 0.618 of the interval, together 1e-4 of 3.6°. */
const refinements = 19;
const fewestPairs = 100;

/**
 * Returns the transform that makes the two coordinates of pairs (count×2) as independent as
 * possible, with mean 0 and variance 1: an affine stage, x − m, and a linear one, H. Rows are
 * sorted by explained variance, largest first, and their largest entry is positive, as in {@link
 * independentComponents}.
 */
export function fitRotationIca(pairs: FloatArray): Cascade {
  const count = checkSamples(pairs, 2, "pairs");
  if (count < fewestPairs) throw expected("pairs", `hold at least ${fewestPairs} pairs`, count);
  const mean = componentMeans(pairs, 2);
  const x = centred(pairs, mean);
  const K = pcaWhitening(x, 2);
  const whitened = new Float64Array(2 * count);
  for (let k = 0; k < 2 * count; k += 2) {
    whitened[k] = K[0] * x[k] + K[1] * x[k + 1];
    whitened[k + 1] = K[2] * x[k] + K[3] * x[k + 1];
  }
  const { cosine, sine } = rotationAt(leastEntropy(whitened));
  const H = Float64Array.of(
    cosine * K[0] + sine * K[2],
    cosine * K[1] + sine * K[3],
    cosine * K[2] - sine * K[0],
    cosine * K[3] - sine * K[1],
  );
  // A component explains the squared length of its column of H⁻¹, which equals that of the other
  // row of H up to a factor.
  const shares = Float64Array.of(H[2] * H[2] + H[3] * H[3], H[0] * H[0] + H[1] * H[1]);
  return cascade([
    affine({ dimension: 2, shift: mean.map((value) => -value) }),
    linear({ dimension: 2, H: arrangeRows(H, 2, shares) }),
  ]);
}

interface Rotation {
  readonly cosine: number;
  readonly sine: number;
}

function rotationAt(t: number): Rotation {
  const scale = 1 / (1 + t * t);
  return { cosine: (1 - t * t) * scale, sine: 2 * t * scale };
}

/** Returns t = tan θ/2 with the least sum of entropies, by a scan and golden sections. */
function leastEntropy(whitened: Float64Array): number {
  const table = new EntropyTable(whitened.length / 2);
  const entropyAt = (t: number): number => entropyOfRotated(whitened, rotationAt(t), table);
  let [best, least] = [0, Infinity];
  for (let k = 0; k < scanned; k++) {
    const entropy = entropyAt(k / scanned);
    if (entropy < least) [best, least] = [k / scanned, entropy];
  }
  const golden = (Math.sqrt(5) - 1) / 2;
  let [from, to] = [best - 1 / scanned, best + 1 / scanned];
  let [left, right] = [to - golden * (to - from), from + golden * (to - from)];
  let [atLeft, atRight] = [entropyAt(left), entropyAt(right)];
  for (let step = 0; step < refinements; step++) {
    if (atLeft < atRight) {
      [to, right, atRight] = [right, left, atLeft];
      left = to - golden * (to - from);
      atLeft = entropyAt(left);
    } else {
      [from, left, atLeft] = [left, right, atRight];
      right = from + golden * (to - from);
      atRight = entropyAt(right);
    }
  }
  return atLeft < atRight ? left : right;
}

function entropyOfRotated(
  whitened: Float64Array,
  { cosine, sine }: Rotation,
  table: EntropyTable,
): number {
  let sum = 0;
  for (const [a, b] of [
    [cosine, sine],
    [-sine, cosine],
  ]) {
    table.clear();
    for (let k = 0; k < whitened.length; k += 2) table.add(a * whitened[k] + b * whitened[k + 1]);
    sum += table.inNats();
  }
  return sum;
}

/**
 * Differential entropy of numbers of variance about 1, from a histogram of w = y/(1 + |y|), which
 * maps the line to (−1, 1):
 *
 *   h(y) = h(w) − E ln dw/dy,   h(w) ≈ −Σ_b p_b ln(p_b/δ),   dw/dy = (1 − |w|)²
 *
 *   symbol  meaning
 *   p_b     share of bin b
 *   δ       width of a bin in w
 *
 * A value is shared linearly between the two nearest bins, so that the entropy of rotated data is a
 * continuous function of the angle and can be minimised. The bias of Miller and Madow,
 * (bins − 1)/2n, is the same for all angles and omitted.
 */
class EntropyTable {
  private readonly bins: number;
  private readonly counts: Float64Array;
  /** −ln dw/dy + ln δ at the middle of each bin. */
  private readonly offsets: Float64Array;

  constructor(private readonly count: number) {
    this.bins = binsFor(count);
    this.counts = new Float64Array(this.bins + 2);
    const width = 2 / this.bins;
    this.offsets = this.counts.map((_, b) => {
      // The bins at the ends only hold shares of values; their middle is not on the line.
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
      // Smaller shares are rounding errors, and portableLog does not accept subnormal numbers.
      if (share > 1e-300) sum += share * (this.offsets[b] - portableLog(share));
    }
    return sum;
  }
}

/**
 * Returns a measured optimum: twice as many bins double the error of the angle for heavy tails, and
 * fewer miss the ends of uniform values.
 */
function binsFor(count: number): number {
  let root = 20;
  while (root * root * root < count) root++;
  return 2 * root;
}
