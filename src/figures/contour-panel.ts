/** Contour lines of two densities: what is drawn, in a chart alone and in grids of them. */
import { expected } from "../errors.js";
import type { Grid } from "../evaluation/histogram-2d.js";
import { portablePow } from "../numbers/power.js";

/** Two densities to compare by their contour lines. */
export interface ContourPanel {
  /** In grey, beneath: what was counted, smoothed a little. */
  readonly empirical: Grid;
  /** In black (white in the dark), above: what a model says. */
  readonly model: Grid;
  /**
   * The densities that the lines are drawn at, of both; by default {@link contourLevels} of the
   * empirical one.
   */
  readonly levels?: readonly number[] | undefined;
  /** A few words in small print: "KL 0.012 bit". */
  readonly note?: string | undefined;
}

const usualLevels = 6;
/** The highest line is at this part of the peak, which few cells reach. */
const highestPart = 0.5;
/** From one line to the next, a density falls to this part: two lines in a decade. */
const usualRatio = 1 / Math.sqrt(10);

/** Levels from half of a density's peak downwards, each by a half power of ten lower. */
export function contourLevels(density: Grid, count = usualLevels): number[] {
  if (!Number.isInteger(count) || count < 1)
    throw expected("count", "be a positive integer", count);
  let peak = 0;
  for (let k = 0; k < density.values.length; k++) peak = Math.max(peak, density.values[k]);
  if (!(peak > 0 && peak < Infinity)) throw expected("a density", "have a finite peak", peak);
  const levels = Array.from(
    { length: count },
    (_, k) => highestPart * peak * portablePow(usualRatio, k),
  );
  return levels.reverse();
}

/** Both densities have the same cells; `where` is the panel, for errors. */
export function requireCommonGrid({ empirical, model, levels }: ContourPanel, where: string): Grid {
  for (const [name, grid] of Object.entries({ empirical, model })) {
    const { width, height, values } = grid;
    if (values.length !== width * height) {
      const rule = `hold ${width * height} values (${width}×${height})`;
      throw expected(`values of ${name}${where}`, rule, values.length);
    }
    if (shapeOf(grid) !== shapeOf(empirical)) {
      throw expected(`model${where}`, `have ${shapeOf(empirical)}`, shapeOf(grid));
    }
  }
  if (!(empirical.to > empirical.from)) {
    throw expected(`to${where}`, `be larger than ${empirical.from}`, empirical.to);
  }
  for (const level of levels ?? []) {
    if (!(level > 0 && level < Infinity)) throw expected("levels", "be positive numbers", level);
  }
  return empirical;
}

function shapeOf({ width, height, from, to }: Grid): string {
  return `${width}×${height} cells from ${from} to ${to}`;
}
