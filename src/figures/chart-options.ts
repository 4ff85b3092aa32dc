/**
 * The types in the signatures of charts. They do not use types of Observable Plot or of the DOM,
 * which need libraries that users may not have.
 */

/** A document that charts are drawn in: `document` in a page, `await svgDocument()` in Node. */
export interface ChartDocument {
  createElement(name: string): unknown;
  createElementNS(namespace: string, name: string): unknown;
}

/** Options of every chart. */
export interface ChartOptions {
  /** Title above the chart. */
  readonly title?: string | undefined;
  /** Text alternative of the chart; by default its title, series and axes. */
  readonly description?: string | undefined;
  /** Width in units of the viewBox, which scales to the page; text has a fixed size in them. */
  readonly width?: number | undefined;
  /** Height of the plot without title, legend and labels. */
  readonly height?: number | undefined;
}
