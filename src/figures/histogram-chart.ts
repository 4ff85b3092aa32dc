import { expected as expectation } from "../errors.js";
import { type Histogram, binEdge } from "../evaluation/histogram.js";
import type { ReferenceDistribution } from "../evaluation/reference-densities.js";
import { portableLog10 } from "../numbers/extended-logarithm.js";
import {
  type LegendEntry,
  type Markish,
  type Plot,
  powerOfTen,
  renderChart,
} from "./chart-frame.js";
import type { ChartDocument, ChartOptions } from "./chart-options.js";
import { seriesClass } from "./chart-theme.js";

export interface HistogramSeries {
  readonly label: string;
  readonly histogram: Histogram;
  /** Histograms of its parts (single filters, for example), drawn as faint lines behind it. */
  readonly members?: readonly Histogram[] | undefined;
  /** Index of the colour, by default that of the series: keeps a colour across charts. */
  readonly colour?: number | undefined;
}

export interface HistogramChartOptions extends ChartOptions {
  readonly series: readonly HistogramSeries[];
  /** Drawn as a dashed curve and named in the legend. */
  readonly expected?: Pick<ReferenceDistribution, "name" | "density"> | undefined;
  /** Label of the abscissa, with its unit. */
  readonly xLabel: string;
  /** "density" by default. */
  readonly yLabel?: string | undefined;
  /** Whether the ordinate is logarithmic, which shows the tails. */
  readonly logarithmic?: boolean | undefined;
}

type Point = readonly [x: number, y: number];

const curvePoints = 400;

/** Draws histograms and an expected density as an SVG; equal options give equal text. */
export async function histogramChart(
  document: ChartDocument,
  options: HistogramChartOptions,
): Promise<string> {
  const { series, expected, xLabel, yLabel = "density", logarithmic = false } = options;
  if (series.length === 0) throw expectation("series", "hold a histogram", []);
  const all = series.flatMap(({ histogram, members = [] }) => [histogram, ...members]);
  const from = Math.min(...all.map((histogram) => histogram.from));
  const to = Math.max(...all.map((histogram) => histogram.to));
  const floor = logarithmic ? densityOfOneValue(series) / 2 : 0;
  const curve = expected ? curveOf(expected.density, from, to, floor) : [];
  const top = highest(all, curve);
  return renderChart(document, {
    options,
    summary: summaryOf(options, yLabel),
    legend: legendOf(options),
    x: { domain: [from, to], label: xLabel },
    y: logarithmic
      ? { type: "log", domain: [floor, top * 1.6], label: yLabel }
      : { domain: [0, top * 1.04], label: yLabel },
    ...(logarithmic ? { yTicks: decades(floor, top * 1.6), yTickFormat: powerOfTen } : {}),
    marks: (plot) => [
      ...series.flatMap((each, k) => memberMarks(plot, each, k, logarithmic)),
      // The first is drawn last, above all others.
      ...series.flatMap((each, k) => stepMarks(plot, each, k, options)).reverse(),
      plot.line(curve, { className: "gz-expected" }),
    ],
  });
}

function stepMarks(
  plot: Plot,
  { histogram, colour }: HistogramSeries,
  k: number,
  { series, logarithmic = false }: HistogramChartOptions,
): Markish[] {
  const points = outline(histogram, logarithmic);
  const colours = seriesClass(colour ?? k);
  const line = plot.line(points, { className: `${colours} gz-line` });
  // Areas mean nothing on a logarithmic axis, and three of them are illegible.
  if (logarithmic || series.length > 2) return [line];
  const area = { x: "0", y1: 0, y2: "1", className: `${colours} gz-area` };
  return [line, plot.areaY(points, area)];
}

/** One thin line for each part, through the centres of the bins: many steps are illegible. */
function memberMarks(
  plot: Plot,
  { members = [], colour }: HistogramSeries,
  k: number,
  logarithmic: boolean,
): Markish[] {
  if (members.length === 0) return [];
  const points = members.flatMap((histogram, member) =>
    Array.from(histogram.density, (density, bin) => ({
      x: (binEdge(histogram, bin) + binEdge(histogram, bin + 1)) / 2,
      y: logarithmic && density === 0 ? NaN : density,
      member,
    })),
  );
  const className = `${seriesClass(colour ?? k)} gz-line gz-faint`;
  return [plot.line(points, { x: "x", y: "y", z: "member", className })];
}

/** Two points for each bin, at its edges; on a logarithmic axis, 0 interrupts the line. */
function outline(histogram: Histogram, logarithmic: boolean): Point[] {
  const { bins, from, to, density } = histogram;
  const points: Point[] = [];
  for (let k = 0; k < bins; k++) {
    const y = logarithmic && density[k] === 0 ? NaN : density[k];
    points.push([binEdge(histogram, k), y], [binEdge(histogram, k + 1), y]);
  }
  return logarithmic ? points : [[from, 0], ...points, [to, 0]];
}

/** The curve, interrupted below `floor`. */
function curveOf(density: (x: number) => number, from: number, to: number, floor: number): Point[] {
  return Array.from({ length: curvePoints + 1 }, (_, k) => {
    const x = from + ((to - from) * k) / curvePoints;
    const y = density(x);
    return [x, y >= floor && Number.isFinite(y) ? y : NaN];
  });
}

function highest(histograms: readonly Histogram[], curve: readonly Point[]): number {
  let most = 0;
  for (const { density } of histograms) {
    for (const value of density) most = Math.max(most, value);
  }
  for (const [, y] of curve) if (y > most) most = y;
  return most || 1;
}

/** The smallest positive density of the histograms: that of a single value. */
function densityOfOneValue(series: readonly HistogramSeries[]): number {
  const steps = series.map(
    ({ histogram: { bins, from, to, total } }) => bins / ((to - from) * (total || 1)),
  );
  return Math.min(...steps);
}

/** Powers of ten between two values; every second or third if there are many. */
function decades(lowest: number, most: number): number[] {
  const [first, last] = [Math.ceil(portableLog10(lowest)), Math.floor(portableLog10(most))];
  const step = Math.ceil((last - first + 1) / 7);
  const exponents: number[] = [];
  for (let exponent = last; exponent >= first; exponent -= step) exponents.unshift(exponent);
  return exponents.map((exponent) => Number(`1e${exponent}`));
}

function legendOf({ series, expected }: HistogramChartOptions): LegendEntry[] {
  const entries = series.map(({ label, colour }, k) => ({
    label,
    className: `${seriesClass(colour ?? k)} gz-line`,
  }));
  return expected ? [...entries, { label: expected.name, className: "gz-expected" }] : entries;
}

function summaryOf(options: HistogramChartOptions, yLabel: string): string {
  const { series, expected, xLabel, logarithmic } = options;
  const names = series.map(({ label, histogram: { total }, members = [] }) => {
    const parts = members.length === 0 ? "" : `, and each of ${members.length} parts`;
    return `${label} (${total} values${parts})`;
  });
  const against = expected ? `, with the density of ${expected.name}` : "";
  const axes = `Horizontal: ${xLabel}. Vertical: ${yLabel}${logarithmic ? ", logarithmic" : ""}`;
  return `Histograms of ${names.join(", ")}${against}. ${axes}.`;
}
