/** Numbers and names as the panel says them. */
import type { FilterShape } from "../../../src/index.js";

/** With a real minus. */
export function fixed(value: number, digits: number): string {
  return value.toFixed(digits).replace("-", "−");
}

/** Two significant digits, without a power of ten where that is short. */
export function short(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 0.001 && size < 1000) return String(Number(value.toPrecision(3))).replace("-", "−");
  return value.toExponential(1).replace("-", "−").replace("e+", "e").replace("e-", "e−");
}

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
