import { contourDomain, squareAxes } from "./axes.js";
import { renderChart, usualMarginLeft } from "./chart-frame.js";
import type { ChartDocument, ChartOptions } from "./chart-options.js";
import { contourLegend, contourMarks } from "./contour-marks.js";
import { type ContourPanel, contourLevels, requireCommonGrid } from "./contour-panel.js";

export interface ContourChartOptions extends ChartOptions, ContourPanel {
  readonly xLabel: string;
  readonly yLabel: string;
}

const panelWidth = 320;
const marginRight = 16;
/**
 * Contour lines of two densities, as wide as high: an SVG as text. The same options give the same
 * text.
 */
export async function contourChart(
  document: ChartDocument,
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

function summaryOf({ empirical, levels, note = "" }: ContourPanel): string {
  const count = (levels ?? contourLevels(empirical)).length;
  const lines = `Contour lines at ${count} densities: of a histogram in grey, of a model in black.`;
  return note === "" ? lines : `${lines} ${note}.`;
}
