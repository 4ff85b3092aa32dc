/** Series of a chart: what is drawn, read off and saved. */

export interface ChartSeries {
  /** Name in saved files and for screen readers. */
  readonly label: string;
  readonly x: ArrayLike<number>;
  /** One value for each x; values that are not finite interrupt the line. */
  readonly y: ArrayLike<number>;
  /** Index of the colour; rank 5 + k has the colour of k, dotted. */
  readonly rank: number;
  /** "line" by default; "area" also fills what is below; "expected" is dashed and grey. */
  readonly look?: "line" | "area" | "expected" | undefined;
}

export type Interval = readonly [low: number, high: number];

/** Number of colours. */
export const colours = 5;

/** Returns the index of the last x that is at most `x`, or −1. `x` must not decrease. */
export function indexAt(xs: ArrayLike<number>, x: number): number {
  let [low, high] = [0, xs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Returns the index of the point nearest to `x`; −1 if there is none. */
export function nearestIndex({ x: xs }: Pick<ChartSeries, "x">, x: number): number {
  const before = indexAt(xs, x);
  if (before < 0) return xs.length > 0 ? 0 : -1;
  if (before === xs.length - 1) return before;
  return x - xs[before] <= xs[before + 1] - x ? before : before + 1;
}

/**
 * Returns the value of a series at `x`: that of its nearest point; null outside of the series,
 * where another one goes on.
 */
export function valueAt(series: ChartSeries, x: number, tolerance: number): number | null {
  const k = nearestIndex(series, x);
  if (k < 0) return null;
  const [first, last] = [series.x[0], series.x[series.x.length - 1]];
  const isWithin = x >= first - tolerance && x <= last + tolerance;
  return isWithin && Number.isFinite(series.y[k]) ? series.y[k] : null;
}

/** Returns every x of all series, in order and without repetitions. */
export function allAbscissas(series: readonly ChartSeries[]): readonly number[] {
  const found = new Set(series.flatMap(({ x }) => Array.from(x)));
  return [...found].sort((a, b) => a - b);
}

/** Means over `window` neighbouring points; fewer at the ends, so that nothing is delayed. */
export function smoothed(y: ArrayLike<number>, window: number): ArrayLike<number> {
  if (window <= 1) return y;
  const half = Math.floor(window / 2);
  return Array.from({ length: y.length }, (_, k) => {
    const reach = Math.min(half, k, y.length - 1 - k);
    let [sum, count] = [0, 0];
    for (let i = k - reach; i <= k + reach; i++) {
      if (!Number.isFinite(y[i])) continue;
      sum += y[i];
      count++;
    }
    return Number.isFinite(y[k]) ? sum / count : NaN;
  });
}

/**
 * Returns the series with y above the lowest value of all, for a logarithmic axis of values that
 * are negative. The lowest value itself, which has no logarithm, becomes a gap.
 */
export function aboveLowest(series: readonly ChartSeries[]): ChartSeries[] {
  const finite = series.flatMap(({ y }) => Array.from(y).filter(Number.isFinite));
  const lowest = finite.reduce((least, value) => Math.min(least, value), Infinity);
  return series.map((each) => ({
    ...each,
    y: Array.from(each.y, (value) => (value > lowest ? value - lowest : NaN)),
  }));
}

/** Returns the range of the finite values within an interval of x; null if there are none. */
export function rangeWithin(
  series: readonly ChartSeries[],
  [from, to]: Interval,
  isAllowed: (y: number) => boolean = Number.isFinite,
): Interval | null {
  let [low, high] = [Infinity, -Infinity];
  for (const { x, y } of series) {
    for (let k = 0; k < x.length; k++) {
      if (x[k] < from || x[k] > to || !isAllowed(y[k])) continue;
      low = Math.min(low, y[k]);
      high = Math.max(high, y[k]);
    }
  }
  return low <= high ? [low, high] : null;
}

/** Returns the range of all x; null without points. */
export function extentOf(series: readonly ChartSeries[]): Interval | null {
  let [low, high] = [Infinity, -Infinity];
  for (const { x } of series) {
    if (x.length === 0) continue;
    low = Math.min(low, x[0]);
    high = Math.max(high, x[x.length - 1]);
  }
  return low <= high ? [low, high] : null;
}

/** Returns a table with a row for each point, as CSV. */
export function csvOf(series: readonly ChartSeries[], xLabel: string, yLabel: string): string {
  const rows = series.flatMap(({ label, x, y }) =>
    Array.from(x, (value, k) => [label, String(value), Number.isFinite(y[k]) ? String(y[k]) : ""]),
  );
  return [["series", xLabel, yLabel], ...rows]
    .map((row) => `${row.map(quoted).join(",")}\n`)
    .join("");
}

function quoted(field: string): string {
  return /[",\n\r]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
