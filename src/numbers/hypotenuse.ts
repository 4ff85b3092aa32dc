import { smallestNormal } from "./float-bits.js";

/** Smaller sums of squares lose digits. */
const smallestSum = smallestNormal * 2 ** 106;
const [up, down] = [2 ** 600, 2 ** -600];

/** Returns √(x² + y² + z²) with the same bits in every engine; squares may over- or underflow. */
export function portableHypot(x: number, y: number, z = 0): number {
  const sum = x * x + y * y + z * z;
  if (sum >= smallestSum && sum <= Number.MAX_VALUE) return Math.sqrt(sum);
  const largest = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  // Like Math.hypot: infinity even beside NaN.
  if (isInfinite(x) || isInfinite(y) || isInfinite(z)) return Infinity;
  if (largest === 0 || largest !== largest) return largest;
  const [there, back] = largest > 1 ? [down, up] : [up, down];
  const [a, b, c] = [x * there, y * there, z * there];
  return Math.sqrt(a * a + b * b + c * c) * back;
}

function isInfinite(value: number): boolean {
  return Math.abs(value) === Infinity;
}
