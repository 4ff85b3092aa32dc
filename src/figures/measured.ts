import { portableLog10 } from "../numbers/extended-logarithm.js";

/** 3.412 ± 0.021: as many digits as the error leaves. */
export function measured(value: number, error: number): string {
  if (!Number.isFinite(value)) return "none";
  const isKnown = Number.isFinite(error) && error > 0;
  const digits = isKnown ? Math.min(9, Math.max(0, 1 - Math.floor(portableLog10(error)))) : 4;
  const text = value.toFixed(digits).replace("-", "−");
  return Number.isFinite(error) ? `${text} ± ${error.toFixed(digits)}` : text;
}
