/** The frame of all charts: a title, a legend, axes with labels, and a text alternative. */
import type * as PlotModule from "@observablehq/plot";
import { portableLog10 } from "../numbers/extended-logarithm.js";
import type { ChartDocument, ChartOptions } from "./chart-options.js";
import { chartClass, chartStyle, chartWidth, fontSizes, plotHeight } from "./chart-theme.js";
import { escapeHtml } from "./report-text.js";
import { flowInRows, textWidth, wrapText } from "./text-layout.js";

export type Plot = typeof PlotModule;
export type Markish = PlotModule.Markish;

export interface LegendEntry {
  readonly label: string;
  /** Class of the line in the legend. */
  readonly className: string;
  /** The mark on that line, as a path around (0, 0), and its class. */
  readonly mark?: { readonly path: string; readonly className: string } | undefined;
}

/** Layout of plots with the same scales in rows and columns. */
export interface PanelLayout {
  readonly columns: number;
  readonly rows: number;
  /** Gaps in pixels. */
  readonly columnGap: number;
  readonly rowGap: number;
  /** Pixels above the first row, for headings. */
  readonly above: number;
}

export interface ChartParts {
  readonly options: ChartOptions;
  /** Text alternative if the options have no description. */
  readonly summary: string;
  readonly legend: readonly LegendEntry[];
  readonly x: PlotModule.ScaleOptions & { readonly label: string };
  readonly y: PlotModule.ScaleOptions & { readonly label: string };
  /** Panels for marks with channels `fx` and `fy`, from 0; `height` is that of one panel. */
  readonly panels?: PanelLayout | undefined;
  /** Draws a rectangle around the plot instead of horizontal lines. */
  readonly isFramed?: boolean | undefined;
  /** Ticks of the abscissa; by default those of Plot. */
  readonly xTicks?: readonly number[] | undefined;
  readonly xTickFormat?: ((value: number) => string) | undefined;
  /** Ticks of the ordinate; by default those of Plot. */
  readonly yTicks?: readonly number[] | undefined;
  readonly yTickFormat?: ((value: number) => string) | undefined;
  readonly marginLeft?: number;
  readonly marginRight?: number;
  readonly marks: (plot: Plot) => Markish[];
  /** Draws what needs the scales. */
  readonly finish?: (chart: FinishedChart) => void;
}

export interface FinishedChart {
  readonly yOf: (value: number) => number;
  readonly top: number;
  readonly bottom: number;
  readonly right: number;
  readonly draw: Draw;
}

type Draw = (
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  text?: string,
) => void;

const namespace = "http://www.w3.org/2000/svg";
const lineHeight = { title: 20, legend: 20 };
const swatch = { width: 20, gap: 6, between: 18 };
export const usualMarginLeft = 48;
const marginBottom = 44;
const onePanel: PanelLayout = { columns: 1, rows: 1, columnGap: 0, rowGap: 0, above: 0 };

/** Loads Plot only now, so that programs without charts do not wait for it. */
export async function renderChart(given: ChartDocument, parts: ChartParts): Promise<string> {
  const document = given as Document;
  const plot = await import("@observablehq/plot");
  const layout = layOut(parts);
  const { width, height, margins, right, bottom } = layout;
  const svg = plot.plot({
    document,
    className: chartClass,
    width,
    height,
    ...margins,
    x: parts.x,
    y: parts.y,
    ...layout.facets,
    marks: [...axes(plot, parts, layout.panelWidth), ...parts.marks(plot), frameOf(plot, parts)],
  });
  svg.setAttribute("xmlns", namespace);
  for (const name of ["font-size", "font-family"]) svg.removeAttribute(name);
  const style = svg.querySelector("style");
  // Plot's own rules first, so that ours win.
  if (style) style.textContent = `${style.textContent}\n${chartStyle}`;
  const draw = drawingIn(svg, document);
  drawHead(draw, parts, layout);
  const yScale = svg.scale("y");
  const yOf = (value: number): number => Number(yScale?.apply(value));
  parts.finish?.({ yOf, top: margins.marginTop, bottom, right, draw });
  const { title = "", description } = parts.options;
  const words = description ?? [title, parts.summary].filter((text) => text !== "").join(". ");
  // Not all documents escape attributes, and this is the only one with text of the caller.
  return roundedNumbers(svg.outerHTML).replace(
    /^<svg/,
    () => `<svg role="img" aria-label="${escapeHtml(words)}"`,
  );
}

/** Computes the layout: the plot starts below title and legend. */
function layOut(parts: ChartParts) {
  const { options, legend, marginRight = 16, marginLeft = usualMarginLeft } = parts;
  const { title = "", width = chartWidth, height = plotHeight } = options;
  const titleLines = wrapText(title, width, fontSizes.title);
  const entries = flowInRows(legend.map(entryWidth), width, swatch.between);
  const legendTop = titleLines.length * lineHeight.title;
  const legendRows = entries.length > 0 ? entries[entries.length - 1].row + 1 : 0;
  const { panels = onePanel } = parts;
  const marginTop = legendTop + legendRows * lineHeight.legend + 34 + panels.above;
  const bottom = marginTop + panels.rows * height + (panels.rows - 1) * panels.rowGap;
  const panelWidth = widthOfPanel(width - marginLeft - marginRight, panels);
  const margins = { marginTop, marginRight, marginBottom, marginLeft };
  const places = { titleLines, entries, legendTop, labelTop: marginTop - panels.above };
  return {
    ...places,
    panelWidth,
    facets: parts.panels ? facetsOf(parts.panels, panelWidth, height) : {},
    margins,
    width,
    height: bottom + marginBottom,
    right: width - marginRight,
    bottom,
  };
}

/** Bands and gaps as shares of the distance between panels, as Plot needs them. */
function facetsOf(panels: PanelLayout, width: number, height: number) {
  const { columns, rows, columnGap, rowGap } = panels;
  const scale = (count: number, size: number, gap: number) => ({
    domain: Array.from({ length: count }, (_, k) => k),
    paddingInner: count > 1 ? gap / (size + gap) : 0,
    paddingOuter: 0,
    round: false,
    axis: null,
  });
  return { fx: scale(columns, width, columnGap), fy: scale(rows, height, rowGap) };
}

/** Width of each panel, if all panels and gaps have `inner` pixels. */
export function widthOfPanel(
  inner: number,
  { columns, columnGap }: Pick<PanelLayout, "columns" | "columnGap">,
): number {
  return (inner - (columns - 1) * columnGap) / columns;
}

function entryWidth({ label }: LegendEntry): number {
  return swatch.width + swatch.gap + textWidth(label, fontSizes.text);
}

function drawHead(draw: Draw, parts: ChartParts, layout: ReturnType<typeof layOut>): void {
  const atStart = { "text-anchor": "start" };
  layout.titleLines.forEach((line, k) => {
    draw("text", { class: "gz-title", x: 0, y: 15 + k * lineHeight.title, ...atStart }, line);
  });
  parts.legend.forEach(({ label, className, mark }, k) => {
    const { row, left } = layout.entries[k];
    const y = layout.legendTop + 11 + row * lineHeight.legend;
    draw("path", { class: className, d: `M${left + 1},${y}h${swatch.width - 2}` });
    if (mark) {
      const transform = `translate(${left + swatch.width / 2},${y})`;
      draw("path", { class: mark.className, d: mark.path, transform });
    }
    draw("text", { x: left + swatch.width + swatch.gap, y: y + 4.5, ...atStart }, label);
  });
  // Above its axis and horizontal, to be easy to read.
  if (parts.y.label !== "") {
    draw("text", { x: 0, y: layout.labelTop - 14, ...atStart }, `↑ ${parts.y.label}`);
  }
  const below = { x: layout.right, y: layout.height - 6, "text-anchor": "end" };
  draw("text", below, `${parts.x.label} →`);
}

function axes(plot: Plot, parts: ChartParts, width: number): Markish[] {
  const yTicks = ticksOf(parts.yTicks, parts.yTickFormat, 45);
  const xTicks = ticksOf(parts.xTicks, parts.xTickFormat, Math.max(60, width / 8));
  const lines = { stroke: "currentColor", strokeOpacity: 0.13 };
  return [
    ...(parts.isFramed ? [] : [plot.gridY({ ...yTicks.at, ...lines })]),
    plot.axisY({ ...yTicks.at, ...yTicks.as, tickSize: 0, tickPadding: 8, label: null }),
    plot.axisX({ ...xTicks.at, ...xTicks.as, tickSize: 5, label: null }),
  ];
}

function ticksOf(
  ticks: readonly number[] | undefined,
  tickFormat: ((value: number) => string) | undefined,
  tickSpacing: number,
) {
  return {
    at: ticks === undefined ? { tickSpacing } : { ticks: [...ticks] },
    as: tickFormat === undefined ? {} : { tickFormat },
  };
}

function frameOf(plot: Plot, { isFramed }: ChartParts): Markish {
  return isFramed ? plot.frame({ strokeOpacity: 0.35 }) : plot.frame({ anchor: "bottom" });
}

function drawingIn(svg: Element, document: Document): Draw {
  return (name, attributes, text) => {
    const element = document.createElementNS(namespace, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    if (text !== undefined) element.textContent = text;
    svg.append(element);
  };
}

/** Rounds coordinates (but not texts) to a thousandth of a pixel. */
function roundedNumbers(svg: string): string {
  return svg.replace(/<[^>]*>/g, (tag) =>
    tag.replace(/\d+\.\d{4,}/g, (digits) => String(Math.round(1000 * Number(digits)) / 1000)),
  );
}

/** 0.001 → 10⁻³ */
export function powerOfTen(value: number): string {
  const exponent = Math.round(portableLog10(value));
  const raised = String(exponent).replace(/./g, (sign) =>
    sign === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(sign)],
  );
  return exponent === 0 ? "1" : exponent === 1 ? "10" : `10${raised}`;
}
