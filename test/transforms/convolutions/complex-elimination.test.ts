import { describe, expect, test } from "vitest";
import { type ComplexArray, complexArray } from "../../../src/fourier/complex-array.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { ComplexElimination } from "../../../src/transforms/convolutions/complex-elimination.js";
import { logAbsDeterminant } from "../../support/differences.js";
import { expectClose } from "../../support/expect-close.js";
import { seed } from "../../support/seed.js";

/** Returns a random matrix, for which rows must be exchanged. */
function randomMatrix(n: number): ComplexArray {
  const random = createRandom(seed, "complex", n);
  const real = random.normalFill(new Float64Array(n * n));
  const imaginary = random.normalFill(new Float64Array(n * n));
  for (let k = 0; k < n && n > 1; k += 1) real[k * n + k] = imaginary[k * n + k] = 0;
  return { real, imaginary };
}

/** Returns A·B or Aᴴ·B, for n×n times n×columns. */
function product(a: ComplexArray, b: ComplexArray, n: number, adjoint = false): ComplexArray {
  const columns = b.real.length / n;
  const result = complexArray(b.real.length);
  for (let i = 0; i < n; i += 1) {
    for (let k = 0; k < n; k += 1) {
      const at = adjoint ? k * n + i : i * n + k;
      const [re, im] = [a.real[at], adjoint ? -a.imaginary[at] : a.imaginary[at]];
      for (let j = 0; j < columns; j += 1) {
        const [c, d] = [b.real[k * columns + j], b.imaginary[k * columns + j]];
        result.real[i * columns + j] += re * c - im * d;
        result.imaginary[i * columns + j] += re * d + im * c;
      }
    }
  }
  return result;
}

// Sizes around the column panel of 8, the row groups of 4 and the triangle step of 32.
const sizes = [1, 2, 3, 4, 5, 7, 8, 9, 17, 33, 41];

describe(`complex elimination (seed ${seed})`, () => {
  test.each(sizes)("n = %i: log |det| is half that of the real matrix (A, −B; B, A)", (n) => {
    const { real, imaginary } = randomMatrix(n);
    const rows = Array.from({ length: 2 * n }, (_, i) =>
      Float64Array.from({ length: 2 * n }, (_v, j) => {
        const at = (i % n) * n + (j % n);
        if (i < n === j < n) return real[at];
        return i < n ? -imaginary[at] : imaginary[at];
      }),
    );
    const found = new ComplexElimination(n).factor({ real, imaginary });
    expectClose(found, logAbsDeterminant(rows) / 2, { absolute: 1e-11 });
  });

  test.each(sizes)(
    "n = %i: inverse and solutions reproduce the identity and the right-hand side",
    (n) => {
      const matrix = randomMatrix(n);
      const elimination = new ComplexElimination(n);
      elimination.factor(matrix);
      const inverse = complexArray(n * n);
      elimination.inverse(inverse);
      const identity = product(matrix, inverse, n);
      // Random matrices of this size have condition numbers up to a thousand.
      const tolerance = { absolute: 1e-11 };
      expectClose(
        identity.real,
        identity.real.map((_, k) => (k % (n + 1) === 0 ? 1 : 0)),
        tolerance,
      );
      expectClose(identity.imaginary, new Float64Array(n * n), tolerance);
      const random = createRandom(seed, "right side", n);
      for (const adjoint of [false, true]) {
        const b = { real: new Float64Array(n), imaginary: new Float64Array(n) };
        random.normalFill(b.real);
        random.normalFill(b.imaginary);
        const x = structuredClone(b);
        if (adjoint) elimination.solveAdjoint(x);
        else elimination.solve(x);
        const back = product(matrix, x, n, adjoint);
        expectClose(back.real, b.real, tolerance);
        expectClose(back.imaginary, b.imaginary, tolerance);
      }
    },
  );

  test("does not change the matrix, and detects singular ones", () => {
    const matrix = randomMatrix(9);
    const before = structuredClone(matrix);
    const elimination = new ComplexElimination(9);
    elimination.factor(matrix);
    expect(matrix).toEqual(before);
    expect(elimination.factor(complexArray(81))).toBe(-Infinity);
    // A column of zeros beyond the first panel.
    for (let i = 0; i < 9; i += 1) matrix.real[i * 9 + 8] = matrix.imaginary[i * 9 + 8] = 0;
    expect(elimination.factor(matrix)).toBe(-Infinity);
  });

  test("detects a last row of rounding errors as singular, but not small rows or columns", () => {
    const n = 9;
    const elimination = new ComplexElimination(n);
    const dependent = randomMatrix(n);
    for (const part of [dependent.real, dependent.imaginary]) {
      for (let j = 0; j < n; j += 1) part[8 * n + j] = 0.3 * part[j] + 0.7 * part[n + j];
    }
    expect(elimination.factor(dependent)).toBe(-Infinity);
    const sound = randomMatrix(n);
    const before = elimination.factor(sound);
    for (const part of [sound.real, sound.imaginary]) {
      for (let k = 0; k < n; k += 1) part[3 * n + k] *= 2 ** -80;
      for (let k = 0; k < n; k += 1) part[k * n + 5] *= 2 ** -90;
    }
    expectClose(elimination.factor(sound), before - 170 * Math.LN2, { absolute: 1e-10 });
  });
});
