/** The likeliest places of a map, or the least likely, that do not overlap. */
import type { LikelihoodMap } from "../../../src/index.js";

/** `sign` 1: the likeliest; −1: the least likely. At most `count`, the most extreme first. */
export function extremesOf(
  { columns, stride, size, natsPerDimension }: Omit<LikelihoodMap, "rows" | "mean">,
  sign: 1 | -1,
  count: number,
): number[] {
  const order = [...natsPerDimension.keys()]
    .filter((place) => !Number.isNaN(natsPerDimension[place]))
    .sort((a, b) => sign * (natsPerDimension[b] - natsPerDimension[a]) || a - b);
  const found: number[] = [];
  const isApart = (a: number, b: number): boolean =>
    Math.abs((a % columns) - (b % columns)) * stride >= size ||
    Math.abs(Math.floor(a / columns) - Math.floor(b / columns)) * stride >= size;
  for (const place of order) {
    if (found.length === count) break;
    if (found.every((other) => isApart(place, other))) found.push(place);
  }
  return found;
}
