/** The second response at the places where the first one lies in a band. */
import { reach } from "../../plane/reach.js";

export interface Band {
  /** Number of places. */
  readonly count: number;
  /** Root mean square of the second response. */
  readonly deviation: number;
  /** Histogram of the second response, relative to its largest bar. */
  readonly parts: readonly number[];
}

const bins = 32;

export function bandOf(pairs: Float32Array, middle: number, halfWidth: number): Band {
  const counts = new Array<number>(bins).fill(0);
  let [count, squares] = [0, 0];
  for (let k = 0; k < pairs.length; k += 2) {
    if (Math.abs(pairs[k] - middle) > halfWidth) continue;
    const value = pairs[k + 1];
    count++;
    squares += value * value;
    const bin = Math.floor((bins * (value + reach)) / (2 * reach));
    if (bin >= 0 && bin < bins) counts[bin]++;
  }
  const most = counts.reduce((a, b) => Math.max(a, b), 1);
  return {
    count,
    deviation: count > 0 ? Math.sqrt(squares / count) : 0,
    parts: counts.map((each) => each / most),
  };
}
