/**
 * Angle of a direction, with the same bits in every engine.
 *
 *   atan q = atan c + atan t,   t = (q − c)/(1 + q c),   c = i/64 nearest to q, 0 ≤ q ≤ 1
 *
 * |t| ≤ 1/128, so that a short series is enough. A table holds atan c in two parts. Error:
 * test/numbers/arctangent.test.ts.
 */
import { lostInSum } from "./extended-logarithm.js";

const steps = 64;
/** Two parts of atan(i/64), i = 0 … 64. */
const table = createTable();

/** π minus its Float64 value. */
const piLow = 1.2246467991473532e-16;

/** Returns the angle of (x, y) from −π to π, like Math.atan2. */
export function portableAtan2(y: number, x: number): number {
  const [sizeX, sizeY] = [Math.abs(x), Math.abs(y)];
  if (sizeX !== sizeX || sizeY !== sizeY) return NaN;
  const isLeft = x < 0 || Object.is(x, -0);
  const angle = angleOfSizes(sizeX, sizeY, isLeft);
  return y < 0 || Object.is(y, -0) ? -angle : angle;
}

/** Returns the angle of (±x, y), for x and y from 0 to infinity. */
function angleOfSizes(x: number, y: number, isLeft: boolean): number {
  if (y === 0) return isLeft ? Math.PI : 0;
  if (y === Infinity && x === Infinity) return isLeft ? 0.75 * Math.PI : 0.25 * Math.PI;
  if (y <= x) {
    const near = angleBelowDiagonal(y, x);
    return isLeft ? Math.PI - (near - piLow) : near;
  }
  const rest = angleBelowDiagonal(x, y);
  const half = piLow / 2;
  return isLeft ? Math.PI / 2 + (rest + half) : Math.PI / 2 - (rest - half);
}

/** atan(opposite/adjacent), 0 ≤ opposite ≤ adjacent, adjacent > 0. */
function angleBelowDiagonal(opposite: number, adjacent: number): number {
  if (adjacent === Infinity) return 0;
  // Powers of two that keep products finite and normal.
  const scale = adjacent > 2 ** 900 ? 2 ** -200 : adjacent < 2 ** -800 ? 2 ** 200 : 1;
  const [a, b] = [opposite * scale, adjacent * scale];
  const i = Math.floor((a / b) * steps + 0.5);
  if (i === 0) return withoutTable(opposite, adjacent, a / b);
  const c = i / steps;
  // 26 bits of b times the 7 bits of c are exact, and so is their difference from a.
  const large = b * 134217729;
  const bHigh = large - (large - b);
  const t = (a - c * bHigh - c * (b - bHigh)) / (b + c * a);
  return table[2 * i] + (table[2 * i + 1] + (t + t * seriesOf(t)));
}

/** Returns the angle for c = 0; a very small quotient is the angle. */
function withoutTable(opposite: number, adjacent: number, q: number): number {
  return q < 2 ** -30 ? opposite / adjacent : q + q * seriesOf(q);
}

/** (atan t)/t − 1 for |t| ≤ 1/128: the terms after t⁸ are below 2⁻⁷³. */
function seriesOf(t: number): number {
  const t2 = t * t;
  return t2 * (-1 / 3 + t2 * (1 / 5 + t2 * (-1 / 7 + t2 * (1 / 9))));
}

/** atan((i + 1)/64) = atan(i/64) + atan(64/(4096 + i(i + 1))). */
function createTable(): Float64Array {
  const table = new Float64Array(2 * (steps + 1));
  for (let i = 0; i < steps; i += 1) {
    const denominator = steps * steps + i * (i + 1);
    // 24 bits of the quotient times the 14 bits of the denominator are exact.
    const upper = Math.fround(steps / denominator);
    const lower = (steps - upper * denominator) / denominator;
    const small = lower + (upper + lower) * seriesOf(upper + lower);
    const before = table[2 * i];
    const sum = before + upper;
    const lost = lostInSum(before, upper, sum) + small + table[2 * i + 1];
    table[2 * i + 2] = sum + lost;
    table[2 * i + 3] = lost - (table[2 * i + 2] - sum);
  }
  return table;
}
