import { describe, expect, test } from "vitest";
import { createRandom } from "../../src/random/random-stream.js";
import { smallestEigenvalue } from "../../src/transforms/smallest-eigenvalue.js";
import { symmetricEigen } from "../../src/transforms/symmetric-eigen.js";
import { expectClose } from "../support/expect-close.js";
import { seed } from "../support/seed.js";

/** Backward error of the reflections: a few roundings for each of the n entries of a row. */
const bound = (n: number): number => 4 * n * Number.EPSILON;

function matrixOf(n: number, entry: (i: number, j: number) => number): Float64Array {
  return Float64Array.from({ length: n * n }, (_, k) => entry(Math.floor(k / n), k % n));
}

describe("smallestEigenvalue has the closed form", () => {
  test.each([
    [2, 1, 3],
    [-1, 5, -1],
    [1e-3, 0, 7],
    [0, -4, 0],
  ])("of [[%d, %d], [%d]], 2×2", (a, b, c) => {
    const expected = (a + c) / 2 - Math.hypot((a - c) / 2, b);
    const scale = Math.abs(a) + Math.abs(b) + Math.abs(c);
    expectClose(smallestEigenvalue([a, b, b, c], 2), expected, { relative: bound(2), scale });
  });

  test("of one number, and of zeros", () => {
    expect(smallestEigenvalue([-3.5], 1)).toBe(-3.5);
    expect(smallestEigenvalue(new Float64Array(16), 4)).toBe(0);
  });

  test("of a diagonal matrix, to the last digits of the smallest entry", () => {
    const diagonal = [5, 1e-9, 2, 0.3, 7];
    for (let shift = 0; shift < 5; shift += 1) {
      const matrix = matrixOf(5, (i, j) => (i === j ? diagonal[(i + shift) % 5] : 0));
      expectClose(smallestEigenvalue(matrix, 5), 1e-9, { relative: 8 * Number.EPSILON });
    }
  });

  test.each([1, -1])("of rank one, I + %d·vvᵀ", (sign) => {
    const v = [0.5, -2, 0, 1.5, 3, -0.25];
    const square = v.reduce((sum, value) => sum + value * value, 0);
    const matrix = matrixOf(6, (i, j) => (i === j ? 1 : 0) + sign * v[i] * v[j]);
    const expected = sign > 0 ? 1 : 1 - square;
    expectClose(smallestEigenvalue(matrix, 6), expected, { relative: bound(6), scale: square });
  });

  test.each([2, 3, 10, 100])("of the second differences of %i points, 2 − 2cos(π/(n+1))", (n) => {
    const matrix = matrixOf(n, (i, j) => (i === j ? 2 : Math.abs(i - j) === 1 ? -1 : 0));
    // 4 sin², because 2 − 2cos cancels.
    const expected = 4 * Math.sin(Math.PI / (2 * (n + 1))) ** 2;
    expectClose(smallestEigenvalue(matrix, n), expected, { relative: bound(n), scale: 4 });
  });
});

describe(`smallestEigenvalue agrees with symmetricEigen (seed ${seed})`, () => {
  test.each([2, 3, 7, 17, 64])("on symmetric matrices of %i rows", (n) => {
    const random = createRandom(seed, "smallest eigenvalue", n);
    for (let k = 0; k < 5; k += 1) {
      const half = random.normalFill(new Float64Array(n * n));
      const matrix = matrixOf(n, (i, j) => half[i * n + j] + half[j * n + i]);
      const { values } = symmetricEigen(matrix, n);
      const tolerance = { relative: bound(n), scale: Math.max(...values.map(Math.abs)) };
      expectClose(smallestEigenvalue(matrix, n), Math.min(...values), tolerance);
    }
  });

  test.each([1e-200, 1e200])("scaled by %d, where squares over- or underflow", (scale) => {
    const half = createRandom(seed, "scaled").normalFill(new Float64Array(25));
    const matrix = matrixOf(5, (i, j) => half[i * 5 + j] + half[j * 5 + i]);
    const scaled = smallestEigenvalue(
      matrix.map((value) => value * scale),
      5,
    );
    expectClose(scaled / scale, smallestEigenvalue(matrix, 5), { relative: bound(5) });
  });
});

test("smallestEigenvalue does not change the matrix, reads only its lower triangle, and returns NaN for NaN or ∞", () => {
  const matrix = Float64Array.of(2, 99, 1, 3);
  expectClose(smallestEigenvalue(matrix, 2), 2.5 - Math.sqrt(1.25), { relative: bound(2) });
  expect([...matrix]).toEqual([2, 99, 1, 3]);
  expect(smallestEigenvalue([1, NaN, NaN, 1], 2)).toBeNaN();
  expect(smallestEigenvalue([Infinity, 0, 0, 1], 2)).toBeNaN();
});
