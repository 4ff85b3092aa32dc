import type { FloatArray } from "../kernels/kernels.js";

/** The lowest and the highest of values of which there is at least one. */
export function rangeOf(values: FloatArray): { lowest: number; highest: number } {
  let [lowest, highest] = [Infinity, -Infinity];
  for (const value of values) {
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
  }
  return { lowest, highest };
}
