/**
 * Powers with the same bits in every engine, with ECMAScript's values at 0, infinity, NaN and
 * negative bases.
 */
import { expOfSum } from "./exponential.js";
import { extendedLog, lostInProduct, lowerPartOfLog } from "./extended-logarithm.js";

/** e^±x is infinite or 0 beyond this. */
const largestExponent = 746;

/** base^exponent for all numbers. */
export function portablePow(base: number, exponent: number): number {
  if (!(base > 0 && base < Infinity && Math.abs(exponent) < Infinity)) {
    return powerOfUnusual(base, exponent);
  }
  const upper = extendedLog(base);
  const product = exponent * upper;
  if (!(Math.abs(product) < largestExponent)) return product > 0 ? Infinity : 0;
  // The base is 1, or the product underflows.
  if (product === 0) return 1;
  const rest = lostInProduct(exponent, upper, product) + exponent * lowerPartOfLog();
  return expOfSum(product, rest);
}

/** Handles infinite, negative and zero bases, infinite exponents and NaN. */
function powerOfUnusual(base: number, exponent: number): number {
  if (exponent === 0) return 1;
  if (base !== base || exponent !== exponent) return NaN;
  const size = Math.abs(base);
  if (Math.abs(exponent) === Infinity) {
    if (size === 1) return NaN;
    return size > 1 === exponent > 0 ? Infinity : 0;
  }
  const isNegative = base < 0 || Object.is(base, -0);
  const isOdd = Math.abs(exponent % 2) === 1;
  const sign = isNegative && isOdd ? -1 : 1;
  if (size === 0) return sign * (exponent > 0 ? 0 : Infinity);
  if (size === Infinity) return sign * (exponent > 0 ? Infinity : 0);
  return Number.isInteger(exponent) ? sign * portablePow(size, exponent) : NaN;
}
