/**
 * Distance from 1 to the next Float32; half of it is the largest relative error of one rounding.
 */
export const float32Epsilon = 2 ** -23;
/**
 * The smallest positive Float32: what a rounding to a denormal may be off by, whatever the value.
 */
export const smallestFloat32 = 2 ** -149;

export interface Tolerance {
  /** Allowed error as a part of max(|expected|, scale). */
  readonly relative?: number;
  /** Allowed error on top of that. */
  readonly absolute?: number;
  /** Size of the terms a value was summed from, for all values or for each. */
  readonly scale?: number | ArrayLike<number>;
}

interface Miss {
  readonly index: number;
  readonly error: number;
  readonly allowed: number;
}

/**
 * |actual − expected| ≤ absolute + relative·max(|expected|, scale) for every value. NaN and ±∞ must
 * be met exactly; without a tolerance every value must be. The failure names the worst index and
 * both values.
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

/** The largest absolute value: the scale of errors that are measured against a whole array. */
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

/** The same bits, except that any NaN is as good as any other; −0 is not 0. */
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
