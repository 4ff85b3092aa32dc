import { expected } from "../errors.js";
import { fixed } from "../numbers/format-number.js";
import { doublingAxis } from "./axes.js";
import {
  type LegendEntry,
  type Markish,
  type Plot,
  renderChart,
  usualMarginLeft,
} from "./chart-frame.js";
import type { ChartDocument, ChartOptions } from "./chart-options.js";
import { chartWidth, fontSizes, seriesClass } from "./chart-theme.js";
import { type LineSeries, type Point, markPath, markSymbol, pointsOf } from "./line-series.js";
import { spreadApart, textWidth } from "./text-layout.js";

export type { LineSeries } from "./line-series.js";

export interface LineChartOptions extends ChartOptions {
  readonly series: readonly LineSeries[];
  /** With units: "step", "ΔJ (nats per pixel)". */
  readonly xLabel: string;
  readonly yLabel: string;
  /** Dashed level lines to compare with, named beside them. */
  readonly levels?: readonly { readonly label: string; readonly y: number }[] | undefined;
  /** Digits after the point of the last value, which is written beside its line; 2 by default. */
  readonly digits?: number | undefined;
  /** The abscissa by powers of two: 1, 2, 4 … 1024. Every x is positive then. */
  readonly powersOfTwo?: boolean | undefined;
  /**
   * Where lines are named: where they end, with their last value (the default), or in a legend
   * above, with a mark of its own for each; that is for lines that end together, and for small
   * charts.
   */
  readonly names?: "ends" | "legend" | undefined;
}

/** Up to so many points of a series are marked. */
const mostDots = 24;
const dotRadius = 3.2;
const labelDistance = 16;
/** Names are bold, and bold faces differ most in width: what is too narrow is cut off. */
const boldness = 1.25;
const labelGap = 8;
/** Right of the plot there is at least the half of a number below the axis. */
const halfOfNumber = 20;

/**
 * Curves over training steps or distances, each named: an SVG as text. The same options give the
 * same text.
 */
export async function lineChart(
  document: ChartDocument,
  options: LineChartOptions,
): Promise<string> {
  const { series, xLabel, yLabel, levels = [], powersOfTwo = false, names = "ends" } = options;
  if (series.length === 0) throw expected("series", "hold a line", []);
  const lines = series.map(pointsOf);
  const ranks = series.map(({ rank }, k) => rank ?? k);
  const labels = labelsOf(options, lines);
  const beside = names === "ends" ? labels : labels.slice(series.length);
  const widest = Math.max(0, ...beside.map(({ text }) => textWidth(text, fontSizes.text)));
  const marginRight = beside.length > 0 ? Math.ceil(boldness * widest) + labelGap : halfOfNumber;
  const width = (options.width ?? chartWidth) - usualMarginLeft - marginRight;
  const ends = rangeOf(series.flatMap(endsOf));
  const { x, ...ticks } = powersOfTwo
    ? doublingAxis(ends, width)
    : { x: { domain: fromZero(ends) } };
  return renderChart(document, {
    options,
    summary: summaryOf(options, labels),
    legend: names === "legend" ? legendOf(options, lines) : [],
    x: { label: xLabel, ...x },
    ...ticks,
    y: { label: yLabel, nice: true, domain: rangeOf(heightsOf(lines, levels)) },
    marginRight,
    marks: (plot) => [
      plot.ruleY(
        levels.map(({ y }) => y),
        { className: "gz-expected" },
      ),
      // The first is drawn last, above all others; bands are beneath all lines.
      ...lines
        .map((line, k) => bandMarks(plot, line, ranks[k]))
        .reverse()
        .flat(),
      ...lines
        .map((line, k) => lineMarks(plot, line, ranks[k], names))
        .reverse()
        .flat(),
    ],
    finish: ({ yOf, top, bottom, right, draw }) => {
      const wanted = beside.map(({ y }) => yOf(y));
      const placed = spreadApart(wanted, labelDistance, top, bottom);
      beside.forEach(({ text, className }, k) => {
        const y = Math.round(10 * (placed[k] + 4.5)) / 10;
        draw("text", { class: className, x: right + labelGap, y, "text-anchor": "start" }, text);
      });
    },
  });
}

/** Of series, then of levels. */
function labelsOf({ series, levels = [], digits = 2 }: LineChartOptions, lines: Point[][]) {
  return [
    ...series.map(({ label, rank }, k) => {
      const last = lastOf(lines[k]);
      const text = `${label} ${fixed(last, digits)}`;
      return { text, y: last, className: `${seriesClass(rank ?? k)} gz-label` };
    }),
    ...levels.map(({ label, y }) => ({ text: label, y, className: "gz-muted" })),
  ];
}

function legendOf({ series }: LineChartOptions, lines: Point[][]): LegendEntry[] {
  return series.map(({ label, rank }, k) => {
    const look = seriesClass(rank ?? k);
    const mark = { path: markPath(rank ?? k, dotRadius), className: `${look} gz-dot` };
    const hasMarks = lines[k].length <= mostDots;
    const className = `${look} gz-line`;
    return { label, className, ...(hasMarks ? { mark } : {}) };
  });
}

function lineMarks(
  plot: Plot,
  line: readonly Point[],
  k: number,
  names: "ends" | "legend",
): Markish[] {
  const at = { x: "x", y: "y" };
  const marks: Markish[] = [plot.line(line, { ...at, className: `${seriesClass(k)} gz-line` })];
  if (line.length > mostDots) return marks;
  const dot = { ...at, r: dotRadius, className: `${seriesClass(k)} gz-dot` };
  // Where colour alone would tell lines apart, shapes do so too.
  return [...marks, plot.dot(line, names === "ends" ? dot : { ...dot, symbol: markSymbol(k) })];
}

function bandMarks(plot: Plot, line: readonly Point[], k: number): Markish[] {
  if (!line.some(({ low, high }) => low < high)) return [];
  const between = { x: "x", y1: "low", y2: "high" };
  return [plot.areaY(line, { ...between, className: `${seriesClass(k)} gz-band` })];
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
