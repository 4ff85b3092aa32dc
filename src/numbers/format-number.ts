/** Numbers as text, with a true minus sign and the same in every locale. */
import { portableLog10 } from "./extended-logarithm.js";

/** Replaces each hyphen of a printed number by a minus sign: "-1e-7" becomes "−1e−7". */
export function withMinus(number: number | string): string {
  return String(number).replaceAll("-", "−");
}

/** Prints a number with `digits` decimals; a number that rounds to zero has no sign. */
export function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : withMinus(text);
}

/** Prints a change with its sign: "+0.5", "−0.5", "0.0". */
export function fixedChange(value: number, digits: number): string {
  const text = fixed(value, digits);
  return value > 0 && Number(text) !== 0 ? `+${text}` : text;
}

/** Prints at most `digits` significant digits, without trailing zeros: "0.000123", "1.5". */
export function significant(value: number, digits = 3): string {
  return withMinus(Number(value.toPrecision(digits)));
}

/** Prints three significant digits in little space: "1.5", "−0.0123", "1.2e6", "3.0e−7". */
export function compact(value: number): string {
  const size = Math.abs(value);
  const isPlain = value === 0 || (size >= 1e-3 && size < 1e5);
  return isPlain ? significant(value) : withMinus(value.toExponential(1).replace("e+", "e"));
}

/** Prints a number with a comma between thousands: "12,345". */
export function thousands(value: number): string {
  return withMinus(value.toLocaleString("en-US"));
}

/** Prints a fraction as a percentage: "12.5 %", or "< 0.1 %" if it would round to zero. */
export function percent(share: number): string {
  const value = 100 * share;
  return value > 0 && value < 0.1 ? "< 0.1 %" : `${fixed(value, 1)} %`;
}

/** Prints a value and its standard error, to two digits of the error: "3.412 ± 0.021". */
export function measured(value: number, error: number): string {
  if (!Number.isFinite(value)) return "none";
  const isKnown = Number.isFinite(error) && error > 0;
  const digits = isKnown ? Math.min(9, Math.max(0, 1 - Math.floor(portableLog10(error)))) : 4;
  const text = fixed(value, digits);
  return Number.isFinite(error) ? `${text} ± ${error.toFixed(digits)}` : text;
}
