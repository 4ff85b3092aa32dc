/** The data of a contour chart. */
import { expected } from "../errors.js";
import type { Grid } from "../evaluation/histogram-2d.js";
import { portablePow } from "../numbers/power.js";

/** Two densities to compare by their contour lines. */
export interface ContourPanel {
  /** The smoothed histogram, drawn in grey beneath. */
  readonly empirical: Grid;
  /** The density of the model, drawn in black (white on dark pages) above. */
  readonly model: Grid;
  /** Densities of the lines; by default {@link contourLevels} of the empirical density. */
  readonly levels?: readonly number[] | undefined;
  /** A few words in small print, for example "KL 0.012 bit". */
  readonly note?: string | undefined;
}

const usualLevels = 6;
/** Level of the highest line relative to the peak. */
const highestPart = 0.5;
/** Ratio of the levels of neighbouring lines: two lines per decade. */
const usualRatio = 1 / Math.sqrt(10);

/** Rising levels up to half of a density's peak, half a power of ten apart. */
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

/** Checks that both densities have the same cells; `where` names the panel in errors. */
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
