import { expected } from "../errors.js";

export interface LineSeries {
  readonly label: string;
  readonly x: ArrayLike<number>;
  /** As many as `x`; the line is interrupted where one is not finite. */
  readonly y: ArrayLike<number>;
  /** Standard errors, as many as `y`: a band from y − error to y + error. What is not finite has none. */
  readonly error?: ArrayLike<number> | undefined;
  /**
   * Whose colour and mark it has, default its own place in the list: lines of the same rank look alike, and rank 5 + k has the colour of k,
   * dashed.
   */
  readonly rank?: number | undefined;
}

/** A point of a line; of many values: their mean, and how far they and their errors spread. */
export interface Point {
  readonly x: number;
  readonly y: number;
  readonly low: number;
  readonly high: number;
}

/** A longer series is shown as so many means of neighbours, with a band from their smallest to their largest. */
const mostPoints = 160;

export function pointsOf(series: LineSeries): Point[] {
  const { label, x, y, error } = series;
  if (x.length !== y.length) throw expected(`y of ${label}`, `hold ${x.length} values`, y.length);
  if (x.length === 0) throw expected(`x of ${label}`, "hold values", 0);
  if (error) requireErrors(label, error, y.length);
  const count = Math.min(x.length, mostPoints);
  return Array.from({ length: count }, (_, k) => {
    const first = Math.floor((k * x.length) / count);
    const end = Math.floor(((k + 1) * x.length) / count);
    return pointOf(series, first, end);
  });
}

function requireErrors(label: string, error: ArrayLike<number>, count: number): void {
  if (error.length !== count) {
    throw expected(`error of ${label}`, `hold ${count} values`, error.length);
  }
  for (let i = 0; i < count; i++) {
    if (error[i] < 0) throw expected(`error of ${label}`, "not be negative", error[i]);
  }
}

function pointOf({ x, y, error }: LineSeries, first: number, end: number): Point {
  let [sumX, sumY, finite, low, high] = [0, 0, 0, Infinity, -Infinity];
  for (let i = first; i < end; i++) {
    sumX += x[i];
    if (!Number.isFinite(y[i])) continue;
    sumY += y[i];
    finite++;
    const margin = error && Number.isFinite(error[i]) ? error[i] : 0;
    low = Math.min(low, y[i] - margin);
    high = Math.max(high, y[i] + margin);
  }
  const mean = sumY / finite;
  const bounds = finite > 0 ? { low, high } : { low: NaN, high: NaN };
  return { x: sumX / (end - first), y: mean, ...bounds };
}
