import { expected } from "../errors.js";
import type { Grid } from "../evaluation/histogram-2d.js";
import { portablePow } from "../numbers/power.js";
import {
  type ChartOptions,
  type LegendEntry,
  type Markish,
  type Plot,
  renderChart,
  usualMarginLeft,
} from "./chart-frame.js";
import { contourLines } from "./iso-lines.js";
import { contourDomain, squareAxes } from "./square-axes.js";

/** Two densities to compare by their contour lines. */
export interface ContourPanel {
  /** In grey, beneath: what was counted, smoothed a little. */
  readonly empirical: Grid;
  /** In black (white in the dark), above: what a model says. */
  readonly model: Grid;
  /** The densities that the lines are drawn at, of both; by default {@link contourLevels} of the empirical one. */
  readonly levels?: readonly number[] | undefined;
  /** A few words in small print: "KL 0.012 bit". */
  readonly note?: string | undefined;
}

export interface ContourChartOptions extends ChartOptions, ContourPanel {
  readonly xLabel: string;
  readonly yLabel: string;
}

const panelWidth = 320;
const marginRight = 16;
const usualLevels = 6;
/** The highest line is at this part of the peak, which few cells reach. */
const highestPart = 0.5;
/** From one line to the next, a density falls to this part: two lines in a decade. */
const usualRatio = 1 / Math.sqrt(10);

/** Contour lines of two densities, as wide as high: an SVG as text. The same options give the same text. */
export async function contourChart(
  document: Document,
  options: ContourChartOptions,
): Promise<string> {
  const { xLabel, yLabel, note = "", width = panelWidth } = options;
  const { scale, ticks } = squareAxes(contourDomain(requireCommonGrid(options, "")));
  return renderChart(document, {
    // Of equal scales: a circle is one.
    options: { ...options, width, height: width - usualMarginLeft - marginRight },
    summary: `${summaryOf(options)} Horizontal: ${xLabel}. Vertical: ${yLabel}.`,
    legend: contourLegend,
    x: { label: xLabel, ...scale },
    y: { label: yLabel, ...scale },
    ...ticks,
    marginRight,
    isFramed: true,
    marks: (plot) => contourMarks(plot, options, {}),
    finish: ({ top, right, draw }) => {
      const place = { x: right, y: top - 14, "text-anchor": "end" };
      if (note !== "") draw("text", { class: "gz-muted", ...place }, note);
    },
  });
}

export const contourLegend: readonly LegendEntry[] = [
  { label: "histogram", className: "gz-contour gz-pale" },
  { label: "model", className: "gz-contour" },
];

/** In the panel that `facet` names, where there are several. */
export function contourMarks(
  plot: Plot,
  { empirical, model, levels = contourLevels(empirical) }: ContourPanel,
  facet: { readonly fx?: number; readonly fy?: number },
): Markish[] {
  const linesOf = (grid: Grid, className: string): Markish => {
    const lines = contourLines(grid, levels);
    const points = lines.flatMap((line, z) => line.map(([x, y]) => ({ x, y, z, ...facet })));
    const channels = Object.fromEntries(["x", "y", "z", ...Object.keys(facet)].map((k) => [k, k]));
    return plot.line(points, { ...channels, curve: "linear", className });
  };
  return [linesOf(empirical, "gz-contour gz-pale"), linesOf(model, "gz-contour")];
}

/** Levels from half of a density's peak downwards, each by a half power of ten lower. */
export function contourLevels(density: Grid, count = usualLevels): number[] {
  if (!Number.isInteger(count) || count < 1)
    throw expected("count", "be a positive integer", count);
  let peak = 0;
  for (let k = 0; k < density.values.length; k++) peak = Math.max(peak, density.values[k]);
  if (!(peak > 0 && peak < Infinity)) throw expected("a density", "have a finite peak", peak);
  const levels = Array.from(
    { length: count },
    (_, k) => highestPart * peak * portablePow(usualRatio, k),
  );
  return levels.reverse();
}

/** Both densities have the same cells; `where` is the panel, for errors. */
export function requireCommonGrid({ empirical, model, levels }: ContourPanel, where: string): Grid {
  for (const [name, grid] of Object.entries({ empirical, model })) {
    const { width, height, values } = grid;
    if (values.length !== width * height) {
      const rule = `hold ${width * height} values (${width}×${height})`;
      throw expected(`values of ${name}${where}`, rule, values.length);
    }
    if (shapeOf(grid) !== shapeOf(empirical)) {
      throw expected(`model${where}`, `have ${shapeOf(empirical)}`, shapeOf(grid));
    }
  }
  if (!(empirical.to > empirical.from)) {
    throw expected(`to${where}`, `be larger than ${empirical.from}`, empirical.to);
  }
  for (const level of levels ?? []) {
    if (!(level > 0 && level < Infinity)) throw expected("levels", "be positive numbers", level);
  }
  return empirical;
}

function shapeOf({ width, height, from, to }: Grid): string {
  return `${width}×${height} cells from ${from} to ${to}`;
}

function summaryOf({ empirical, levels, note = "" }: ContourPanel): string {
  const count = (levels ?? contourLevels(empirical)).length;
  const lines = `Contour lines at ${count} densities: of a histogram in grey, of a model in black.`;
  return note === "" ? lines : `${lines} ${note}.`;
}
