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
  /** Labels with units, for example "step", "ΔJ (nats per pixel)". */
  readonly xLabel: string;
  readonly yLabel: string;
  /** Dashed horizontal lines to compare with, with their labels. */
  readonly levels?: readonly { readonly label: string; readonly y: number }[] | undefined;
  /** Digits of the last value, which is written beside its line; 2 by default. */
  readonly digits?: number | undefined;
  /** Whether the abscissa shows powers of two: 1, 2, 4 … 1024. Requires positive x. */
  readonly powersOfTwo?: boolean | undefined;
  /**
   * Place of the names of lines: at their ends with the last value (the default), or in a legend
   * with a mark for each line, for lines with close ends and small charts.
   */
  readonly names?: "ends" | "legend" | undefined;
}

/** Longer series have no marks. */
const mostDots = 24;
const dotRadius = 3.2;
const labelDistance = 16;
/** Names are bold, so wider than estimated. */
const boldness = 1.25;
const labelGap = 8;
/** Half of a number below the axis, which may extend to the right of the plot. */
const halfOfNumber = 20;

/** Draws named curves as an SVG; equal options give equal text. */
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
      // The first line is drawn last, above all others; bands are beneath all lines.
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

/** Labels of the series, then of the levels. */
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
  // Shapes distinguish lines without colours too.
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

/** Extends an axis that begins near 0 (steps count from 1 or 10) to 0. */
function fromZero([low, high]: [number, number]): [number, number] {
  return [low > 0 && low < high / 20 ? 0 : low, high];
}

function summaryOf(
  { series, xLabel, yLabel, levels = [], digits = 2 }: LineChartOptions,
  labels: readonly { readonly text: string }[],
): string {
  const ends = labels.slice(0, series.length).map(({ text }) => text);
  const others = levels.map(({ label, y }) => `${label} ${fixed(y, digits)}`);
  const against = others.length > 0 ? `, against ${others.join(", ")}` : "";
  const lines = `Lines that end at ${ends.join(", ")}${against}`;
  return `${lines}. Horizontal: ${xLabel}. Vertical: ${yLabel}.`;
}
