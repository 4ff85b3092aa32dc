import { expected } from "../errors.js";
import { type ChartOptions, type Markish, type Plot, fixed, renderChart } from "./chart-frame.js";
import { fontSizes, seriesClass } from "./chart-theme.js";
import { spreadApart, textWidth } from "./text-layout.js";

export interface LineSeries {
  readonly label: string;
  readonly x: ArrayLike<number>;
  /** As many as `x`; the line is interrupted where one is not finite. */
  readonly y: ArrayLike<number>;
}

export interface LineChartOptions extends ChartOptions {
  readonly series: readonly LineSeries[];
  /** With units: "step", "ΔJ (nats per pixel)". */
  readonly xLabel: string;
  readonly yLabel: string;
  /** Dashed level lines to compare with, named beside them. */
  readonly levels?: readonly { readonly label: string; readonly y: number }[] | undefined;
  /** Digits after the point of the last value, which is written beside its line; 2 by default. */
  readonly digits?: number | undefined;
}

/** A point of a line; of many values: their mean, and how far they spread. */
interface Point {
  readonly x: number;
  readonly y: number;
  readonly low: number;
  readonly high: number;
}

/** A longer series is shown as so many means of neighbours, with a band from their smallest to their largest. */
const mostPoints = 160;
/** Up to so many points of a series are marked. */
const mostDots = 24;
const labelDistance = 16;
/** Names are bold, and bold faces differ most in width: what is too narrow is cut off. */
const boldness = 1.25;
const labelGap = 8;

/** Curves over training steps, each named where it ends: an SVG as text. The same options give the same text. */
export async function lineChart(document: Document, options: LineChartOptions): Promise<string> {
  const { series, xLabel, yLabel, levels = [], digits = 2 } = options;
  if (series.length === 0) throw expected("series", "hold a line", []);
  const lines = series.map(pointsOf);
  const labels = [
    ...series.map(({ label }, k) => {
      const last = lastOf(lines[k]);
      const text = `${label} ${fixed(last, digits)}`;
      return { text, y: last, className: `${seriesClass(k)} gz-label` };
    }),
    ...levels.map(({ label, y }) => ({ text: label, y, className: "gz-muted" })),
  ];
  const widest = Math.max(...labels.map(({ text }) => textWidth(text, fontSizes.text)));
  return renderChart(document, {
    options,
    summary: summaryOf(options, labels),
    legend: [],
    x: { label: xLabel, domain: fromZero(rangeOf(series.flatMap(endsOf))) },
    y: { label: yLabel, nice: true, domain: rangeOf(heightsOf(lines, levels)) },
    marginRight: Math.ceil(boldness * widest) + labelGap,
    marks: (plot) => [
      plot.ruleY(
        levels.map(({ y }) => y),
        { className: "gz-expected" },
      ),
      // The first is drawn last, above all others.
      ...lines.flatMap((line, k) => lineMarks(plot, line, seriesClass(k))).reverse(),
    ],
    finish: ({ yOf, top, bottom, right, draw }) => {
      const wanted = labels.map(({ y }) => yOf(y));
      const placed = spreadApart(wanted, labelDistance, top, bottom);
      labels.forEach(({ text, className }, k) => {
        const y = Math.round(10 * (placed[k] + 4.5)) / 10;
        draw("text", { class: className, x: right + labelGap, y, "text-anchor": "start" }, text);
      });
    },
  });
}

function lineMarks(plot: Plot, line: readonly Point[], className: string): Markish[] {
  const at = { x: "x", y: "y" };
  const marks: Markish[] = [plot.line(line, { ...at, className: `${className} gz-line` })];
  if (line.length <= mostDots) {
    marks.push(plot.dot(line, { ...at, r: 3.2, className: `${className} gz-dot` }));
  }
  if (line.some(({ low, high }) => low < high)) {
    const between = { x: "x", y1: "low", y2: "high" };
    marks.push(plot.areaY(line, { ...between, className: `${className} gz-band` }));
  }
  return marks;
}

function pointsOf({ label, x, y }: LineSeries): Point[] {
  if (x.length !== y.length) throw expected(`y of ${label}`, `hold ${x.length} values`, y.length);
  if (x.length === 0) throw expected(`x of ${label}`, "hold values", 0);
  const count = Math.min(x.length, mostPoints);
  return Array.from({ length: count }, (_, k) => {
    const first = Math.floor((k * x.length) / count);
    const end = Math.floor(((k + 1) * x.length) / count);
    return pointOf(x, y, first, end);
  });
}

function pointOf(x: ArrayLike<number>, y: ArrayLike<number>, first: number, end: number): Point {
  let [sumX, sumY, finite, low, high] = [0, 0, 0, Infinity, -Infinity];
  for (let i = first; i < end; i++) {
    sumX += x[i];
    if (!Number.isFinite(y[i])) continue;
    sumY += y[i];
    finite++;
    low = Math.min(low, y[i]);
    high = Math.max(high, y[i]);
  }
  const mean = sumY / finite;
  const bounds = finite > 0 ? { low, high } : { low: NaN, high: NaN };
  return { x: sumX / (end - first), y: mean, ...bounds };
}

function lastOf(line: readonly Point[]): number {
  return line.findLast(({ y }) => Number.isFinite(y))?.y ?? NaN;
}

function heightsOf(lines: readonly Point[][], levels: readonly { readonly y: number }[]): number[] {
  const heights = lines.flatMap((line) => line.flatMap(({ low, high }) => [low, high]));
  return [...heights, ...levels.map(({ y }) => y)];
}

function rangeOf(values: readonly number[]): [number, number] {
  const finite = values.filter(Number.isFinite);
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  return low < high ? [low, high] : [low - 1, low + 1];
}

function endsOf({ x }: LineSeries): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < x.length; i++) {
    low = Math.min(low, x[i]);
    high = Math.max(high, x[i]);
  }
  return [low, high];
}

/** Steps are counted from 1 or 10: an axis that nearly begins at 0 begins there. */
function fromZero([low, high]: [number, number]): [number, number] {
  return [low > 0 && low < high / 20 ? 0 : low, high];
}

function summaryOf(
  { series, xLabel, yLabel, levels = [], digits = 2 }: LineChartOptions,
  labels: readonly { readonly text: string }[],
): string {
  const ends = labels.slice(0, series.length).map(({ text }) => text);
  const against =
    levels.length > 0
      ? `, against ${levels.map(({ label, y }) => `${label} ${fixed(y, digits)}`).join(", ")}`
      : "";
  return `Lines that end at ${ends.join(", ")}${against}. Horizontal: ${xLabel}. Vertical: ${yLabel}.`;
}
