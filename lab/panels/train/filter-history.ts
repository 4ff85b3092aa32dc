/** Filters of a fit at several steps, in little memory: the history is thinned as it grows. */
import type { Bitmap } from "../../components/bitmap.js";

/** Grey values of a picture of filters after a number of steps. */
export interface HistoryEntry {
  readonly step: number;
  readonly width: number;
  readonly height: number;
  readonly greys: Uint8Array;
}

export type FilterHistory = readonly HistoryEntry[];

/** About 14 MB for pictures of 480×480 pixels. */
export const mostEntries = 60;

/**
 * Adds a picture. A full history loses the one whose neighbours are closest to each other, but not
 * the first. Steps that a resumed fit takes again replace those of before.
 */
export function withFilters(history: FilterHistory, step: number, bitmap: Bitmap): FilterHistory {
  const before = history.filter((entry) => entry.step < step);
  const all = [...before, { step, ...greysOf(bitmap) }];
  if (all.length <= mostEntries) return all;
  const gapWithout = (k: number): number => all[k + 1].step - all[k - 1].step;
  let least = 1;
  for (let k = 2; k < all.length - 1; k++) if (gapWithout(k) < gapWithout(least)) least = k;
  return all.filter((_, k) => k !== least);
}

function greysOf({ width, height, rgba }: Bitmap): Omit<HistoryEntry, "step"> {
  const greys = Uint8Array.from({ length: width * height }, (_, k) => rgba[4 * k]);
  return { width, height, greys };
}

export function bitmapOf({ width, height, greys }: HistoryEntry): Bitmap {
  const rgba = new Uint8ClampedArray(4 * greys.length);
  for (let k = 0; k < greys.length; k++) {
    rgba.fill(greys[k], 4 * k, 4 * k + 3);
    rgba[4 * k + 3] = 255;
  }
  return { width, height, rgba };
}
