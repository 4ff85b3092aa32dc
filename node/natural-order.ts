import { sep } from "node:path";
import { compareNames } from "../src/runs/compare-names.js";

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
    const order = compareNames(a[k], b[k]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
