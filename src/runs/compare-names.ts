/** The order of names, in Node and in pages. */

/** The language is fixed, so that the order, and with it a fit, is the same on every computer. */
const collator = new Intl.Collator("en", { numeric: true });

/** Sorts img2 before img10, and upper case next to lower case. */
export function compareNames(a: string, b: string): number {
  // The collator considers 01 and 1 equal.
  return collator.compare(a, b) || Number(a > b) - Number(a < b);
}
