/**
 * A smooth rising curve through knots: cubic on each interval, with slopes at the knots that let it
 * rise throughout (Fritsch & Carlson 1980), beyond the ends a straight line.
 */
export interface RisingCurve {
  /** Rising; at least two. */
  readonly x: Float64Array;
  /** Rising. */
  readonly y: Float64Array;
  /** dy/dx at the knots, not negative. */
  readonly slopes: Float64Array;
}

/**
 * The line beyond the last knot takes the mean slope of the last quarter of the intervals: few of
 * them are mostly noise.
 */
const endShare = 1 / 4;

/** The curve through knots; it begins with the slope `firstSlope` where it can. */
export function risingCurve(x: Float64Array, y: Float64Array, firstSlope: number): RisingCurve {
  const last = x.length - 1;
  const slopes = new Float64Array(last + 1);
  const secant = (from: number, to: number): number => (y[to] - y[from]) / (x[to] - x[from]);
  // Up to three times the secant a cubic rises.
  slopes[0] = Math.min(firstSlope, 3 * secant(0, 1));
  const lastSlope = secant(Math.floor((1 - endShare) * last), last);
  slopes[last] = Math.min(lastSlope, 3 * secant(last - 1, last));
  for (let k = 1; k < last; k++) {
    // A harmonic mean, in which the shorter interval weighs more (Fritsch & Butland 1984).
    const [left, right] = [x[k] - x[k - 1], x[k + 1] - x[k]];
    const [a, b] = [2 * right + left, right + 2 * left];
    slopes[k] = (a + b) / (a / secant(k - 1, k) + b / secant(k, k + 1));
  }
  return { x, y, slopes };
}

export function valueOn({ x, y, slopes }: RisingCurve, at: number): number {
  const last = x.length - 1;
  if (at <= x[0]) return y[0] + slopes[0] * (at - x[0]);
  if (at >= x[last]) return y[last] + slopes[last] * (at - x[last]);
  let [low, high] = [0, last];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x[middle] <= at) low = middle;
    else high = middle;
  }
  const width = x[high] - x[low];
  const t = (at - x[low]) / width;
  const rest = 1 - t;
  // Hermite's form of the cubic.
  return (
    y[low] * rest * rest * (1 + 2 * t) +
    y[high] * t * t * (3 - 2 * t) +
    width * t * rest * (slopes[low] * rest - slopes[high] * t)
  );
}
