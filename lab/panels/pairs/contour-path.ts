import { type Grid, contourLines } from "../../../src/index.js";

/** Contour lines as the `d` of an SVG path, in the units of the grid, upwards being −y. */
export function contourPath(grid: Grid, levels: readonly number[]): string {
  return contourLines(grid, levels)
    .map((line) => line.map(([x, y]) => `${rounded(x)},${rounded(-y)}`))
    .map((places) => `M${places.join("L")}`)
    .join("");
}

/** A thousandth of a standard deviation is less than a pixel. */
function rounded(value: number): number {
  return Math.round(1000 * value) / 1000;
}
