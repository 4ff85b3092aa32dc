/** What is public of figures: src/index.ts hands it on. */
export { asDisplayed } from "./as-displayed.js";
export { type BarChartOptions, type BarSeries, barChart } from "./bar-chart.js";
export type { ChartDocument, ChartOptions } from "./chart-options.js";
export { type ContourChartOptions, contourChart } from "./contour-chart.js";
export { type ContourGridOptions, contourGrid } from "./contour-grid.js";
export { type ContourPanel, contourLevels } from "./contour-panel.js";
export { type PngOptions, type PngPicture, encodePng } from "./encode-png.js";
export { type PixelFilters, filtersOnPixels } from "./filters-on-pixels.js";
export {
  type HistogramChartOptions,
  type HistogramSeries,
  histogramChart,
} from "./histogram-chart.js";
export { matrixInOrder, rowsInOrder } from "./in-order.js";
export { type Place, contourLines } from "./iso-lines.js";
export { type LineChartOptions, type LineSeries, lineChart } from "./line-chart.js";
export { matrixImage } from "./matrix-image.js";
export { measured } from "./measured.js";
export { type MosaicOptions, patchMosaic } from "./patch-mosaic.js";
export { pictureOf } from "./picture-of.js";
export { pngDataUrl } from "./png-data-url.js";
export { type RankingChartOptions, type RankingEntry, rankingChart } from "./ranking-chart.js";
export type { Figure, Highlight, Picture, ReportBlock, TableColumn } from "./report-blocks.js";
export type { Inline, Text } from "./report-text.js";
export { type MarkdownOptions, type MarkdownReport, reportMarkdown } from "./report-markdown.js";
export { type Report, type ReportSection, reportPage } from "./report.js";
export { type SampleMosaicOptions, sampleMosaic } from "./sample-mosaic.js";
export { sideBySide } from "./side-by-side.js";
