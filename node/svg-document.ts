import type { ChartDocument } from "../src/figures/chart-options.js";

/** A document for charts where there is no browser: `histogramChart(await svgDocument(), …)`. */
export async function svgDocument(): Promise<ChartDocument> {
  // Loaded late: whoever draws no chart need not wait for it.
  const { parseHTML } = await import("linkedom");
  return parseHTML("<!doctype html><html><body></body></html>").document;
}
