/** Contour charts: one panel, or many with common axes. */
import { expected } from "../errors.js";
import type { Grid } from "../evaluation/histogram-2d.js";
import { contourDomain, squareAxes } from "./axes.js";
import {
  type LegendEntry,
  type Markish,
  type PanelLayout,
  type Plot,
  renderChart,
  usualMarginLeft,
  widthOfPanel,
} from "./chart-frame.js";
import type { ChartDocument, ChartOptions } from "./chart-options.js";
import { fontSizes } from "./chart-theme.js";
import { type ContourPanel, contourLevels, requireCommonGrid } from "./contour-panel.js";
import { contourLines } from "./iso-lines.js";
import { textWidth } from "./text-layout.js";

export interface ContourChartOptions extends ChartOptions, ContourPanel {
  readonly xLabel: string;
  readonly yLabel: string;
}

const single = { width: 320, marginRight: 16 };

/** Draws contour lines of two densities in a square, as an SVG; equal options give equal text. */
export async function contourChart(
  document: ChartDocument,
  options: ContourChartOptions,
): Promise<string> {
  const { xLabel, yLabel, note = "", width = single.width } = options;
  const { scale, ticks } = squareAxes(contourDomain(requireCommonGrid(options, "")));
  return renderChart(document, {
    // Equal scales, so that a circle stays one.
    options: { ...options, width, height: width - usualMarginLeft - single.marginRight },
    summary: `${summaryOfPanel(options)} Horizontal: ${xLabel}. Vertical: ${yLabel}.`,
    legend: contourLegend,
    x: { label: xLabel, ...scale },
    y: { label: yLabel, ...scale },
    ...ticks,
    marginRight: single.marginRight,
    isFramed: true,
    marks: (plot) => contourMarks(plot, options, {}),
    finish: ({ top, right, draw }) => {
      const place = { x: right, y: top - 14, "text-anchor": "end" };
      if (note !== "") draw("text", { class: "gz-muted", ...place }, note);
    },
  });
}

function summaryOfPanel({ empirical, levels, note = "" }: ContourPanel): string {
  const count = (levels ?? contourLevels(empirical)).length;
  const lines = `Contour lines at ${count} densities: of a histogram in grey, of a model in black.`;
  return note === "" ? lines : `${lines} ${note}.`;
}

export interface ContourGridOptions extends ChartOptions {
  /** Headings of the columns, for example "d = 1". */
  readonly columns: readonly string[];
  /** A heading, for example "GDN", and one panel for each column. */
  readonly rows: readonly { readonly label: string; readonly panels: readonly ContourPanel[] }[];
  /** Labels of the axes of all panels. */
  readonly xLabel: string;
  readonly yLabel: string;
}

const gridWidth = 700;
const marginRight = 10;
const columnGap = 14;
/** Leaves room for notes. */
const rowGap = 26;
const headingHeight = 24;
/** Headings are bold, so wider than estimated. */
const boldness = 1.2;
const headingGap = 8;

/** Draws contour charts in rows and columns with common axes, as in the paper's figure. */
export async function contourGrid(
  document: ChartDocument,
  options: ContourGridOptions,
): Promise<string> {
  const { columns, rows, xLabel, yLabel, width = gridWidth } = options;
  const { scale, ticks } = squareAxes(commonDomain(options));
  const layout = { columns: columns.length, rows: rows.length, columnGap, rowGap };
  const hasNotes = rows[0].panels.some(({ note = "" }) => note !== "");
  const above = headingHeight + (hasNotes ? rowGap - 6 : 0);
  const panels: PanelLayout = { ...layout, above };
  const widest = Math.max(...rows.map(({ label }) => textWidth(label, fontSizes.text)));
  const marginLeft = Math.ceil(boldness * widest) + headingGap + usualMarginLeft;
  return renderChart(document, {
    options: { ...options, width, height: widthOfPanel(width - marginLeft - marginRight, panels) },
    summary: summaryOf(options),
    legend: contourLegend,
    x: { label: xLabel, ...scale },
    y: { label: yLabel, ...scale },
    ...ticks,
    panels,
    marginLeft,
    marginRight,
    isFramed: true,
    marks: (plot) => [
      ...rows.flatMap((row, fy) =>
        row.panels.flatMap((panel, fx) => contourMarks(plot, panel, { fx, fy })),
      ),
      ...textMarks(plot, options, above),
    ],
  });
}

function textMarks(plot: Plot, { columns, rows }: ContourGridOptions, above: number): Markish[] {
  const headings = columns.map((text, fx) => ({ text, fx, fy: 0 }));
  const names = rows.map(({ label: text }, fy) => ({ text, fx: 0, fy }));
  const notes = rows.flatMap(({ panels }, fy) =>
    panels.map(({ note = "" }, fx) => ({ text: note, fx, fy })),
  );
  const inPanels = { text: "text", fx: "fx", fy: "fy" };
  const atTop = { ...inPanels, frameAnchor: "top", lineAnchor: "bottom" } as const;
  return [
    plot.text(headings, { ...atTop, dy: 14 - above, className: "gz-heading" }),
    plot.text(names, {
      ...inPanels,
      frameAnchor: "left",
      textAnchor: "end",
      dx: -usualMarginLeft,
      className: "gz-heading",
    }),
    plot.text(
      notes.filter(({ text }) => text !== ""),
      { ...atTop, dy: -5, className: "gz-muted" },
    ),
  ];
}

/** The smallest square that contains those of all panels. */
function commonDomain({ columns, rows }: ContourGridOptions): [number, number] {
  if (columns.length === 0) throw expected("columns", "hold a heading", []);
  if (rows.length === 0) throw expected("rows", "hold a row", []);
  const domains = rows.flatMap(({ label, panels }) => {
    if (panels.length !== columns.length) {
      throw expected(`panels of ${label}`, `be ${columns.length}`, panels.length);
    }
    return panels.map((panel, k) =>
      contourDomain(requireCommonGrid(panel, ` (${label}, ${columns[k]})`)),
    );
  });
  return [Math.min(...domains.map(([low]) => low)), Math.max(...domains.map(([, high]) => high))];
}

function summaryOf({ columns, rows, xLabel, yLabel }: ContourGridOptions): string {
  const notes = rows.map(({ label, panels }) => {
    const texts = panels.map(({ note = "" }, k) => [columns[k], note].filter((t) => t !== ""));
    return `${label}: ${texts.map((text) => text.join(" ")).join(", ")}`;
  });
  const lines = "Contour lines of histograms in grey, of models in black";
  return `${lines}. ${notes.join(". ")}. Horizontal: ${xLabel}. Vertical: ${yLabel}.`;
}

const contourLegend: readonly LegendEntry[] = [
  { label: "histogram", className: "gz-contour gz-pale" },
  { label: "model", className: "gz-contour" },
];

/** The lines of a panel, at the place `facet` of a grid. */
function contourMarks(
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
