/**
 * The types in the signatures of charts. They name nothing of Observable Plot or of the DOM: the
 * declarations of both need libraries that users may not have.
 */

/** A document that charts are drawn in: `document` in a page, `await svgDocument()` in Node. */
export interface ChartDocument {
  createElement(name: string): unknown;
  createElementNS(namespace: string, name: string): unknown;
}

/** Options of every chart. */
export interface ChartOptions {
  /** In the chart, above all else. */
  readonly title?: string | undefined;
  /** Text for those who cannot see the chart; by default its title, series and axes. */
  readonly description?: string | undefined;
  /**
   * In the units of the viewBox: the chart scales to the width it is given. Text keeps its size in
   * these units.
   */
  readonly width?: number | undefined;
  /** Height of the plot itself, without title, legend and labels. */
  readonly height?: number | undefined;
}
