/** Lengths of short vectors, with the same bits in every engine. */
import { smallestNormal } from "./float-bits.js";

/** Below, squares lose digits. */
const smallestSum = smallestNormal * 2 ** 106;
const [up, down] = [2 ** 600, 2 ** -600];

/** √(x² + y² + z²), also where the squares would be too large or too small for a number. */
export function portableHypot(x: number, y: number, z = 0): number {
  const sum = x * x + y * y + z * z;
  if (sum >= smallestSum && sum <= Number.MAX_VALUE) return Math.sqrt(sum);
  const largest = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  // As Math.hypot has it: infinity even beside NaN.
  if (isInfinite(x) || isInfinite(y) || isInfinite(z)) return Infinity;
  if (largest === 0 || largest !== largest) return largest;
  const [there, back] = largest > 1 ? [down, up] : [up, down];
  const [a, b, c] = [x * there, y * there, z * there];
  return Math.sqrt(a * a + b * b + c * c) * back;
}

function isInfinite(value: number): boolean {
  return Math.abs(value) === Infinity;
}
