/** Densities and contour lines on the square that all plots of pairs show. */
import { logProb } from "../../src/density/induced-density.js";
import type { Grid } from "../../src/evaluation/histogram-2d.js";
import { contourLines } from "../../src/figures/iso-lines.js";
import { portableExp } from "../../src/numbers/exponential.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import type { Transform } from "../../src/transforms/transform.js";
import { reach } from "./reach.js";

/** Grid of histograms and densities. */
export const square = { bins: 64, from: -reach, to: reach };

/** Evaluates the density at the centres of the grid's cells. */
export async function densityAtCentres(runner: TaskRunner, transform: Transform): Promise<Grid> {
  const { bins, from, to } = square;
  const places = new Float64Array(2 * bins * bins);
  const along = (k: number): number => from + ((to - from) * (k + 0.5)) / bins;
  for (let cell = 0; cell < bins * bins; cell++) {
    places[2 * cell] = along(cell % bins);
    places[2 * cell + 1] = along(Math.floor(cell / bins));
  }
  const values = (await logProb(runner, transform, places)).map(portableExp);
  return { width: bins, height: bins, from, to, values };
}

/** Returns contour lines as the `d` of an SVG path, in the units of the grid, with y downwards. */
export function contourPath(grid: Grid, levels: readonly number[]): string {
  return contourLines(grid, levels)
    .map((line) => line.map(([x, y]) => `${rounded(x)},${rounded(-y)}`))
    .map((places) => `M${places.join("L")}`)
    .join("");
}

/** Rounds to a thousandth of a standard deviation, which is less than a pixel. */
function rounded(value: number): number {
  return Math.round(1000 * value) / 1000;
}
