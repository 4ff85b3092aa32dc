/**
 * Independent components of pairs by trying all rotations: after whitening, y = K (x − m), only a
 * rotation is left to find, and a plane has but one angle. A linear map of fixed determinant leaves
 * the joint entropy as it is, so the mutual information of the components is the sum of their
 * entropies but for a constant (Comon 1994, "Independent component analysis, a new concept?"), and
 *
 *   H = R_θ K,   θ = argmin_{0 ≤ θ < π/2} h(cos θ y_1 + sin θ y_2) + h(cos θ y_2 − sin θ y_1)
 *
 *   symbol  variable    constraint
 *   x       pairs       count×2
 *   m       mean        E(x)
 *   K       K           K C Kᵀ = I, C = E((x − m)(x − m)ᵀ)
 *   θ       t           t = tan θ/2: cos θ = (1 − t²)/(1 + t²), sin θ = 2t/(1 + t²) are the same
 *                       bits on every engine
 *   h       –           entropy-table.ts
 *
 * A quarter of a turn exchanges the components, so that angles in [0, π/2), t in [0, 1), are all
 * there are. FastICA (ica.ts) follows the slope of an approximation to negentropy instead, in any
 * dimension, and may end in a local maximum. Cost: 85 angles, each with two passes over the data.
 */
import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import { affine } from "./affine.js";
import { cascade } from "./cascade.js";
import { centred, componentMeans } from "./standardizing.js";
import { checkSamples } from "./checks.js";
import { EntropyTable } from "./entropy-table.js";
import { linear } from "./linear.js";
import type { Cascade } from "./transform.js";
import { arrangeRows, pcaWhitening } from "./whitening.js";

/**
 * Angles of the scan: 1.8° apart where they are farthest, so that none of the at most few minima
 * lies between two.
 */
const scanned = 64;
/** Golden-section steps from there: each leaves 0.618 of the interval, these 1e-4 of 3.6°. */
const refinements = 19;
const fewestPairs = 100;

/**
 * The transform after which the two coordinates of pairs, count×2, depend least on each other and
 * have mean 0 and variance 1: an affine stage, x − m, and a linear one, H. Components by falling
 * share in the variance of x, the largest entry of each row positive, as {@link
 * independentComponents} orders them.
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
  // A component brings in the squared length of its column of H⁻¹, which is that of the other row
  // of H but for a factor.
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

/**
 * t = tan θ/2 of the least sum of entropies: the best of the scan, then golden sections around it.
 */
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
