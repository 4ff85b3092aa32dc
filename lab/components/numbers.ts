/** Numbers as texts, with a true minus sign. */
export function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

/** Three digits, of whatever size. */
export function short(value: number): string {
  const size = Math.abs(value);
  const isPlain = value === 0 || (size >= 1e-3 && size < 1e5);
  const text = isPlain ? String(Number(value.toPrecision(3))) : value.toExponential(1);
  return text.replace("e+", "e").replaceAll("-", "−");
}
