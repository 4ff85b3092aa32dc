/** The order of names, in Node and in pages. */

/**
 * Compares two names by their UTF-16 code units, the order in which public data sets list their
 * files. It is the same in every engine and language, so a folder gives the same fit everywhere.
 */
export function compareNames(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}
