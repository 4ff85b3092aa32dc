/**
 * Distance from 1 to the next Float32; half of it is the largest relative error of one rounding.
 */
export const float32Epsilon = 2 ** -23;
/** Smallest positive Float32: the largest error of rounding to a denormal. */
export const smallestFloat32 = 2 ** -149;

export interface Tolerance {
  /** Allowed error relative to max(|expected|, scale). */
  readonly relative?: number;
  /** Allowed error in addition. */
  readonly absolute?: number;
  /** Size of the summed terms, for all values or for each. */
  readonly scale?: number | ArrayLike<number>;
}

interface Miss {
  readonly index: number;
  readonly error: number;
  readonly allowed: number;
}

/**
 * Expects |actual − expected| ≤ absolute + relative·max(|expected|, scale) for every value. NaN and
 * ±∞ must match exactly, and so must every value without a tolerance. The failure names the worst
 * index and both values.
 */
export function expectClose(
  actual: number | ArrayLike<number>,
  expected: number | ArrayLike<number>,
  tolerance: Tolerance = {},
  what = "the values",
): void {
  const [found, wanted] = [listOf(actual), listOf(expected)];
  if (found.length !== wanted.length) {
    throw new Error(`${what}: expected ${wanted.length} values but received ${found.length}`);
  }
  let misses = 0;
  let worst: Miss = { index: -1, error: 0, allowed: 0 };
  for (let index = 0; index < wanted.length; index += 1) {
    const error = distance(found[index], wanted[index]);
    const allowed = allowance(wanted[index], tolerance, index);
    if (error <= allowed) continue;
    misses += 1;
    if (worst.index < 0 || excess(error, allowed) > excess(worst.error, worst.allowed)) {
      worst = { index, error, allowed };
    }
  }
  if (misses > 0) throw new Error(report(what, found, wanted, worst, misses));
}

/** Returns the largest absolute value, the scale for errors relative to a whole array. */
export function largest(values: ArrayLike<number>): number {
  let result = 0;
  for (let k = 0; k < values.length; k += 1) result = Math.max(result, Math.abs(values[k]));
  return result;
}

function listOf(values: number | ArrayLike<number>): ArrayLike<number> {
  return typeof values === "number" ? [values] : values;
}

function distance(actual: number, expected: number): number {
  if (actual === expected || (Number.isNaN(actual) && Number.isNaN(expected))) return 0;
  const error = Math.abs(actual - expected);
  return Number.isNaN(error) ? Infinity : error;
}

function allowance(
  expected: number,
  { relative = 0, absolute = 0, scale = 0 }: Tolerance,
  index: number,
): number {
  if (!Number.isFinite(expected)) return 0;
  const size = typeof scale === "number" ? scale : scale[index];
  return absolute + relative * Math.max(Math.abs(expected), size);
}

function excess(error: number, allowed: number): number {
  return allowed > 0 ? error / allowed : Infinity;
}

function report(
  what: string,
  found: ArrayLike<number>,
  wanted: ArrayLike<number>,
  { index, error, allowed }: Miss,
  misses: number,
): string {
  const times = allowed > 0 ? ` (${(error / allowed).toPrecision(3)} times too much)` : "";
  return (
    `${what}: worst of ${misses} misses among ${wanted.length} values is at index ${index}: ` +
    `expected ${wanted[index]} but received ${found[index]}; ` +
    `error ${error.toExponential(3)}, allowed ${allowed.toExponential(3)}${times}`
  );
}

/** Expects the same bits, except that all NaNs are equal; −0 is not 0. */
export function expectSameBits(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  what = "the values",
): void {
  if (actual.length !== expected.length) {
    throw new Error(`${what}: expected ${expected.length} values but received ${actual.length}`);
  }
  for (let index = 0; index < expected.length; index += 1) {
    if (Object.is(actual[index], expected[index])) continue;
    throw new Error(
      `${what}: expected the bits of ${expected[index]} but received ${actual[index]} at index ${index}`,
    );
  }
}
