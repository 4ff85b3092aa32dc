/** Reference values for src/numbers/, and errors in units in the last place. */
import { readFileSync } from "node:fs";

type Row = readonly [readonly number[], number, number];

/** Computed by mpmath with 300 bits (test/fixtures/portable-functions.py). */
const references = JSON.parse(
  readFileSync(new URL("../fixtures/portable-functions.json", import.meta.url), "utf8"),
) as Readonly<Record<string, readonly Row[]>>;

/**
 * Returns the largest error of a function over its reference values, in units in the last place.
 */
export function worstInUlps(name: string, of: (...given: number[]) => number): number {
  let worst = 0;
  for (const [given, upper, lower] of references[name]) {
    const error = Math.abs(of(...given) - upper - lower) / ulpOf(upper);
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

/** Returns the distance from a number to the next, at least 2⁻¹⁰⁷⁴. */
function ulpOf(value: number): number {
  let ulp = 2 ** 971;
  while (ulp * 2 ** 52 > Math.abs(value) && ulp > Number.MIN_VALUE) ulp /= 2;
  return ulp;
}

/** Arguments for which ECMAScript specifies the result. */
export const special = [
  0,
  -0,
  1,
  -1,
  2,
  -2,
  3,
  -3,
  0.5,
  -0.5,
  2.5,
  Infinity,
  -Infinity,
  NaN,
  Number.MIN_VALUE,
  -Number.MIN_VALUE,
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
] as const;

/** Whether a value must match exactly: 0, infinite, NaN or an integer. */
export function isSpecial(value: number): boolean {
  return !Number.isFinite(value) || Number.isInteger(value);
}
