/**
 * Numbers of 16 bits (IEEE 754 binary16, "F16" in safetensors) as integers from 0 to 65535:
 *
 *   bit 15     sign
 *   10 to 14   exponent E: 0 for numbers below 2⁻¹⁴, 31 for infinities and NaN
 *   0 to 9     mantissa M
 *
 *   value = ± (1024 + M) 2^(E − 25), or ± M 2⁻²⁴ where E = 0
 *
 * Float16Array and DataView.getFloat16 do the same, but only in newer engines than we support.
 */

/** The largest number of 16 bits. */
export const largestHalf = 65504;
/** Numbers from here on round to infinity. */
const firstBeyond = 65520;

/** Returns the exact number of these 16 bits. */
export function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const mantissa = bits & 1023;
  if (exponent === 31) return mantissa === 0 ? sign * Infinity : NaN;
  if (exponent === 0) return (sign * mantissa) / 2 ** 24;
  // Both factors are integers below 2³¹ and the divisor is a power of two: no rounding.
  return (sign * (1024 + mantissa) * (1 << exponent)) / 2 ** 25;
}

/** Returns the 16 bits nearest to a number; a tie goes to the even mantissa. */
export function numberToHalf(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (size >= firstBeyond) return sign | 0x7c00;
  // E, for the distance 2^(E − 25) between neighbours from 2^(E − 15) on.
  let exponent = 1;
  while (size >= (1 << exponent) / 2 ** 14) exponent++;
  const steps = roundedToEven((size * 2 ** 25) / (1 << exponent));
  // A mantissa rounded up to 2048, or to 1024 below 2⁻¹⁴, carries into the exponent.
  return sign | (steps + (exponent - 1) * 1024);
}

/** `value` is at least 0. */
function roundedToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  return below + Number(rest > 0.5 || (rest === 0.5 && below % 2 === 1));
}
