/** Shares and filters as the panel says them. */
import type { FilterShape } from "../../../src/index.js";

export function percent(share: number): string {
  const value = 100 * share;
  return value > 0 && value < 0.1 ? "< 0.1 %" : `${value.toFixed(1)} %`;
}

/** "0.12 cycles per pixel, stripes at 45°" */
export function shapeText({ isDc, frequency, orientation, selectivity }: FilterShape): string {
  if (isDc) return "brightness";
  const stripes =
    selectivity < 0.3
      ? "no orientation"
      : `stripes at ${Math.round((180 * orientation) / Math.PI) % 180}°`;
  return `${frequency.toFixed(2)} cycles per pixel, ${stripes}`;
}
