import type { ChartDocument } from "../src/figures/chart-options.js";
import { encodePng } from "../src/figures/encode-png.js";
import type { GreyImage } from "../src/images/grey-image.js";
import { writeAtomically } from "./write-atomically.js";

/**
 * Returns a document for charts outside a browser: `histogramChart(await svgDocument(), …)`.
 *
 * @example
 * ```js
 * import { lineChart } from "gaussianize/figures";
 * import { svgDocument } from "gaussianize/node";
 *
 * const series = [{ label: "squares", x: [1, 2, 3], y: [1, 4, 9] }];
 * const svg = await lineChart(await svgDocument(), { series, xLabel: "x", yLabel: "x²" });
 * console.log(svg.startsWith("<svg")); // true
 * ```
 */
export async function svgDocument(): Promise<ChartDocument> {
  // Loaded late: programs that draw no chart need not wait for it.
  const { parseHTML } = await import("linkedom");
  return parseHTML("<!doctype html><html><body></body></html>").document;
}

/**
 * Writes values from 0 (black) to 1 (white) as an 8-bit grey PNG, completely or not at all.
 *
 * @example
 * ```js
 * import { writePng } from "gaussianize/node";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const pixels = Float32Array.of(0, 0.5, 0.5, 1);
 * await writePng(join(tmpdir(), "four-pixels.png"), { width: 2, height: 2, pixels });
 * console.log("written");
 * ```
 */
export async function writePng(path: string, image: GreyImage): Promise<void> {
  await writeAtomically(path, encodePng(image));
}
