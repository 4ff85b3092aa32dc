/** The series of a line chart: their points and their marks. */
import { expected } from "../errors.js";

type Corner = readonly [x: number, y: number];

/** The part of Plot's drawing context that marks use. */
interface PathContext {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  arc(x: number, y: number, radius: number, from: number, to: number): void;
  closePath(): void;
}

/**
 * Shapes of the marks on lines, which distinguish them in print without colours. Corners of a mark
 * with about the area of a circle of radius 1; an empty list is the circle.
 */
const shapes: readonly (readonly Corner[])[] = [
  [],
  square(0.9),
  [
    [0, -1.35],
    [1.2, 0.8],
    [-1.2, 0.8],
  ],
  [
    [0, -1.35],
    [1.35, 0],
    [0, 1.35],
    [-1.35, 0],
  ],
  [
    [0, 1.35],
    [1.2, -0.8],
    [-1.2, -0.8],
  ],
];

function square(half: number): Corner[] {
  return [
    [-half, -half],
    [half, -half],
    [half, half],
    [-half, half],
  ];
}

/** The mark of series k as a symbol of Plot, for which `size` is an area. */
export function markSymbol(k: number): { draw: (context: PathContext, size: number) => void } {
  const corners = shapes[k % shapes.length];
  return {
    draw: (context, size) => {
      const radius = Math.sqrt(size / Math.PI);
      corners.forEach(([x, y], c) => {
        if (c === 0) context.moveTo(x * radius, y * radius);
        else context.lineTo(x * radius, y * radius);
      });
      if (corners.length === 0) {
        context.moveTo(radius, 0);
        context.arc(0, 0, radius, 0, 2 * Math.PI);
      }
      context.closePath();
    },
  };
}

/** The mark of series k around (0, 0), as a path of SVG. */
export function markPath(k: number, radius: number): string {
  const corners = shapes[k % shapes.length];
  if (corners.length === 0) {
    const half = `a${radius},${radius},0,1,1,`;
    return `M${radius},0${half}${-2 * radius},0${half}${2 * radius},0Z`;
  }
  const rounded = (value: number): number => Math.round(1000 * value * radius) / 1000;
  return `M${corners.map(([x, y]) => `${rounded(x)},${rounded(y)}`).join("L")}Z`;
}

export interface LineSeries {
  readonly label: string;
  readonly x: ArrayLike<number>;
  /** One value for each x; values that are not finite interrupt the line. */
  readonly y: ArrayLike<number>;
  /** Standard errors, drawn as a band y ± error; errors that are not finite have no band. */
  readonly error?: ArrayLike<number> | undefined;
  /**
   * Index of the colour and the mark, by default that of the series: equal ranks look alike, and
   * rank 5 + k has the colour of k, dashed.
   */
  readonly rank?: number | undefined;
}

/** A point of a line, or the mean of neighbouring points with their range (including errors). */
export interface Point {
  readonly x: number;
  readonly y: number;
  readonly low: number;
  readonly high: number;
}

/** Longer series are reduced to this number of means, with a band from smallest to largest. */
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
