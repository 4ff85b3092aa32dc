/** Layout of a chart in pixels of the page: its text has the same size at every width. */
import { type Scale, type ScaleKind, type Tick, padded, scaleOf } from "./scale.js";
import {
  type ChartSeries,
  type Interval,
  colours,
  extentOf,
  indexAt,
  rangeWithin,
} from "./series.js";

export interface Level {
  readonly label: string;
  readonly y: number;
}

export interface FrameOptions {
  readonly series: readonly ChartSeries[];
  readonly levels: readonly Level[];
  readonly xScale: ScaleKind;
  readonly yScale: ScaleKind;
  /** Includes zero in the ordinate, for densities. */
  readonly fromZero: boolean;
  /** Shown interval of x; null: everything. */
  readonly zoom: Interval | null;
  readonly width: number;
  readonly height: number;
}

export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly x: Scale;
  readonly y: Scale;
  readonly xTicks: readonly Tick[];
  readonly yTicks: readonly Tick[];
  /** Pixels of values. */
  readonly xOf: (value: number) => number;
  readonly yOf: (value: number) => number;
}

const margins = { top: 30, right: 14, bottom: 42 };
const letterWidth = 7.2;

/** Returns null if there is nothing to draw. */
export function frameOf(options: FrameOptions): Frame | null {
  const { width, height, xScale, zoom } = options;
  const xDomain = zoom ?? wholeDomain(options);
  if (xDomain === null || width <= 0) return null;
  const yDomain = heightsOf(options, xDomain);
  if (yDomain === null) return null;
  const x = scaleOf(xScale, xDomain);
  const y = scaleOf(options.yScale, yDomain);
  const [top, bottom] = [margins.top, height - margins.bottom];
  const yTicks = y.ticks((bottom - top) / 38);
  const widest = Math.max(...yTicks.map(({ text }) => text.length), 2);
  const left = Math.ceil(12 + letterWidth * widest);
  const right = width - margins.right;
  const xTicks = x.ticks((right - left) / 80);
  return {
    ...{ width, height, left, top, right, bottom, x, y, xTicks, yTicks },
    xOf: (value) => left + x.placeOf(value) * (right - left),
    yOf: (value) => bottom - y.placeOf(value) * (bottom - top),
  };
}

/** Starts near zero at zero; on a logarithmic axis, at the first positive x. */
export function wholeDomain({
  series,
  xScale,
}: Pick<FrameOptions, "series" | "xScale">): Interval | null {
  const found = extentOf(series);
  if (found === null) return null;
  const high = found[1];
  let low = found[0];
  if (xScale === "log") {
    const positive = series.flatMap(({ x }) => Array.from(x).filter((value) => value > 0));
    low = positive.reduce((least, value) => Math.min(least, value), high);
  } else if (low > 0 && low < high / 20) low = 0;
  return low < high ? [low, high] : [low - 0.5, low + 0.5];
}

function heightsOf(options: FrameOptions, [from, to]: Interval): Interval | null {
  const { series, levels, yScale, fromZero } = options;
  const isAllowed = (y: number): boolean => Number.isFinite(y) && (yScale === "even" || y > 0);
  const edged = series.map((each) => withEdges(each, [from, to]));
  const found = rangeWithin(edged, [from, to], isAllowed);
  if (found === null) return null;
  const heights = [...found, ...levels.map(({ y }) => y)];
  const range: Interval = [Math.min(...heights), Math.max(...heights)];
  return fromZero && yScale === "even" ? [0, 1.05 * range[1]] : padded(range, yScale);
}

/** Adds the points just outside of an interval, so that a line between two points stays visible. */
function withEdges(series: ChartSeries, [from, to]: Interval): ChartSeries {
  const { x, y } = series;
  const before = indexAt(x, from);
  const after = indexAt(x, to) + 1;
  const edges = [
    ...(before >= 0 ? [[from, y[before]]] : []),
    ...(after < x.length ? [[to, y[after]]] : []),
  ];
  return {
    ...series,
    x: [...Array.from(x), ...edges.map(([at]) => at)],
    y: [...Array.from(y), ...edges.map(([, value]) => value)],
  };
}

/** Returns the path of a line; values without a place interrupt it. */
export function pathOf({ x, y }: Pick<ChartSeries, "x" | "y">, frame: Frame): string {
  let path = "";
  let isDrawing = false;
  for (let k = 0; k < x.length; k++) {
    const [px, py] = [frame.xOf(x[k]), frame.yOf(y[k])];
    if (!Number.isFinite(px) || !Number.isFinite(py)) {
      isDrawing = false;
      continue;
    }
    path += `${isDrawing ? "L" : "M"}${tenths(px)},${tenths(py)}`;
    isDrawing = true;
  }
  return path;
}

/** Rounds to a tenth of a pixel, within what browsers can draw. */
function tenths(pixels: number): number {
  return Math.round(10 * Math.max(-1e5, Math.min(1e5, pixels))) / 10;
}

/** Returns the class of a series, for its colour and dashes. */
export function classOf({ rank, look }: Pick<ChartSeries, "rank" | "look">): string {
  if (look === "expected") return "expected";
  return `series-${rank % colours}${rank >= colours ? " dotted" : ""}`;
}
