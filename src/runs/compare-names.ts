/** The order of names as people would sort them; for Node and for pages. */

/**
 * One language for everybody: the order, and with it a fit, must not depend on whose computer it
 * is.
 */
const collator = new Intl.Collator("en", { numeric: true });

/** img2 before img10, capitals beside small letters. */
export function compareNames(a: string, b: string): number {
  // 01 and 1 are the same to the collator, but not the same name.
  return collator.compare(a, b) || compareCodes(a, b);
}

function compareCodes(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
