/**
 * The lines of contour panels. Apart from what is public of the panels: the types of Plot, which
 * not every project can compile, are no part of the package's.
 */
import type { Grid } from "../evaluation/histogram-2d.js";
import type { LegendEntry, Markish, Plot } from "./chart-frame.js";
import { type ContourPanel, contourLevels } from "./contour-panel.js";
import { contourLines } from "./iso-lines.js";

export const contourLegend: readonly LegendEntry[] = [
  { label: "histogram", className: "gz-contour gz-pale" },
  { label: "model", className: "gz-contour" },
];

/** In the panel that `facet` names, where there are several. */
export function contourMarks(
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
