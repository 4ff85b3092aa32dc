import { sep } from "node:path";

/** One language for everybody: the order, and with it a fit, must not depend on whose computer it is. */
const collator = new Intl.Collator("en", { numeric: true });

/** Sorts paths folder by folder as people would: img2 before img10, capitals beside small letters. */
export function inNaturalOrder(paths: readonly string[]): string[] {
  return paths
    .map((path) => ({ path, parts: path.split(sep) }))
    .sort((a, b) => compareParts(a.parts, b.parts))
    .map(({ path }) => path);
}

function compareParts(a: readonly string[], b: readonly string[]): number {
  const common = Math.min(a.length, b.length);
  for (let k = 0; k < common; k++) {
    // 01 and 1 are the same to the collator, but not the same folder.
    const order = collator.compare(a[k], b[k]) || compareCodes(a[k], b[k]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareCodes(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
