/**
 * Charts, mosaics and reports as SVG, PNG, HTML and Markdown.
 *
 * `import { … } from "gaussianize/figures"`
 *
 * @example
 * ```js
 * import { encodePng, matrixImage } from "gaussianize/figures";
 *
 * const bytes = encodePng(matrixImage([1, 0, 0, 1], 2, 8));
 * console.log(String.fromCharCode(...bytes.subarray(1, 4))); // PNG
 * ```
 *
 * @module gaussianize/figures
 */
export { type BarChartOptions, type BarSeries, barChart } from "../figures/bar-chart.js";
export type { ChartDocument, ChartOptions } from "../figures/chart-options.js";
export {
  type ContourChartOptions,
  type ContourGridOptions,
  contourChart,
  contourGrid,
} from "../figures/contour-charts.js";
export { type ContourPanel, contourLevels } from "../figures/contour-panel.js";
export { type PngOptions, type PngPicture, encodePng } from "../figures/encode-png.js";
export { type PixelFilters, filtersOnPixels } from "../figures/filters-on-pixels.js";
export {
  type HistogramChartOptions,
  type HistogramSeries,
  histogramChart,
} from "../figures/histogram-chart.js";
export { type LineChartOptions, type LineSeries, lineChart } from "../figures/line-chart.js";
export { matrixImage } from "../figures/mosaics.js";
export { type MosaicOptions, patchMosaic } from "../figures/mosaics.js";
export {
  type RankingChartOptions,
  type RankingEntry,
  rankingChart,
} from "../figures/ranking-chart.js";
export type {
  Figure,
  Highlight,
  Picture as ReportPicture,
  ReportBlock,
  TableColumn,
} from "../figures/report-blocks.js";
export {
  type MarkdownOptions,
  type MarkdownReport,
  reportMarkdown,
} from "../figures/report-markdown.js";
export type { Inline, Text } from "../figures/report-text.js";
export { type Report, type ReportSection, reportPage } from "../figures/report.js";
export { type SampleMosaicOptions, sampleMosaic } from "../figures/sample-mosaic.js";
