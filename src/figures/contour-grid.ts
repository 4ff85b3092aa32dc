import { expected } from "../errors.js";
import { contourDomain, squareAxes } from "./axes.js";
import {
  type Markish,
  type PanelLayout,
  type Plot,
  renderChart,
  usualMarginLeft,
  widthOfPanel,
} from "./chart-frame.js";
import type { ChartDocument, ChartOptions } from "./chart-options.js";
import { fontSizes } from "./chart-theme.js";
import { contourLegend, contourMarks } from "./contour-marks.js";
import { type ContourPanel, requireCommonGrid } from "./contour-panel.js";
import { textWidth } from "./text-layout.js";

export interface ContourGridOptions extends ChartOptions {
  /** Headings of the columns: "d = 1". */
  readonly columns: readonly string[];
  /** A heading ("GDN"), and as many panels as there are columns. */
  readonly rows: readonly { readonly label: string; readonly panels: readonly ContourPanel[] }[];
  /** Of the abscissas and ordinates of all panels. */
  readonly xLabel: string;
  readonly yLabel: string;
}

const gridWidth = 700;
const marginRight = 10;
const columnGap = 14;
/** Notes stand in it. */
const rowGap = 26;
const headingHeight = 24;
/** Headings are bold, and bold faces differ most in width. */
const boldness = 1.2;
const headingGap = 8;

/**
 * Contour charts in rows and columns with common axes, as in the paper's figure of them: one SVG as
 * text.
 */
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

/** All panels show the same square, the largest of theirs. */
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
