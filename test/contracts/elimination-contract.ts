import { describe, expect, test } from "vitest";
import type { FloatArray, Kernels } from "../../src/kernels/kernels.js";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose, expectSameBits } from "../support/expect-close.js";
import {
  type InverseBounds,
  identityMinus,
  inverseBounds,
  permutationMatrix,
  product,
  randomContraction,
} from "../support/matrices.js";
import { seed } from "../support/seed.js";
import { type KernelsUnderTest, testSizes } from "./kernels-under-test.js";

/** Pivots in the first, a middle and the last block of 16, at their borders and inside. */
const pivotsToBreak: readonly [n: number, pivots: readonly number[]][] = [
  [1, [0]],
  [7, [0, 3, 6]],
  [17, [0, 8, 15, 16]],
  [24, [16, 23]],
  [100, [0, 1, 7, 15, 16, 17, 31, 40, 48, 63, 95, 96, 98, 99]],
];

export function describeElimination(subject: KernelsUnderTest): void {
  describe("invertIdentityMinus", () => {
    describeInvertIdentityMinus(subject);
    describeFailedPivots(subject);
  });
  describe("invert", () => {
    describeInvert(subject);
    describeSpecialInverses(subject);
  });
}

interface Inverse {
  readonly inverse: FloatArray;
  readonly logDeterminant: number;
}

/**
 * Each entry collects about n roundings, which add up like their square root; the bounds amplify
 * them.
 */
function expectInverse(
  { epsilon }: KernelsUnderTest,
  matrix: FloatArray,
  n: number,
  actual: Inverse,
  expected: Inverse = invert(referenceKernels, matrix, n),
  slack = 1,
): void {
  const bounds: InverseBounds = inverseBounds(matrix, expected.inverse, n);
  const relative = slack * (4 + Math.sqrt(n)) * epsilon;
  expectClose(actual.inverse, expected.inverse, { relative, scale: bounds.inverse }, "A⁻¹");
  const identity = permutationMatrix(Array.from({ length: n }, (_, i) => i));
  const residual = product(matrix, actual.inverse, n);
  // Twice, because this product in Float64 is no more precise than the specification.
  expectClose(residual, identity, { relative: 2 * relative, scale: bounds.residual }, "A·A⁻¹");
  const tolerance = { relative, scale: bounds.logDeterminant };
  expectClose(actual.logDeterminant, expected.logDeterminant, tolerance, "log |det A|");
}

function invertIdentityMinus(kernels: Kernels, m: FloatArray, n: number, count: number) {
  const results = {
    inverse: kernels.floats(count * n * n),
    logDeterminant: new Float64Array(count),
    failedPivot: new Int32Array(count).fill(-2),
  };
  const { inverse, logDeterminant, failedPivot } = results;
  kernels.invertIdentityMinus(m, n, count, inverse, logDeterminant, failedPivot);
  return results;
}

function describeInvertIdentityMinus(subject: KernelsUnderTest): void {
  const { kernels } = subject;

  test.each(testSizes)(
    "n = %d: inverse, residual and log-determinant within the error bound",
    (n) => {
      const m = randomContraction(createRandom(seed, "contraction", n), n);
      const results = invertIdentityMinus(kernels(), m, n, 1);
      expect(results.failedPivot[0]).toBe(-1);
      // I − M rounded to the precision of the kernels.
      const matrix = kernels().floats(n * n);
      matrix.set(identityMinus(m, n));
      const expected = invertIdentityMinus(referenceKernels, identityMinus(matrix, n), n, 1);
      const first = ({ inverse, logDeterminant }: typeof expected): Inverse => ({
        inverse,
        logDeterminant: logDeterminant[0],
      });
      expectInverse(subject, matrix, n, first(results), first(expected));
    },
  );

  test("inverts a batch with the same bits as its matrices one by one, also at odd offsets", () => {
    const [n, count] = [17, 5];
    const random = createRandom(seed, "batch of matrices");
    const matrices = Array.from({ length: count }, () => randomContraction(random, n));
    const batch = new Float32Array(1 + count * n * n).subarray(1);
    matrices.forEach((matrix, s) => {
      batch.set(matrix, s * n * n);
    });
    const together = invertIdentityMinus(kernels(), batch, n, count);
    matrices.forEach((matrix, s) => {
      const alone = invertIdentityMinus(kernels(), matrix, n, 1);
      expectSameBits(together.inverse.subarray(s * n * n, (s + 1) * n * n), alone.inverse);
      expectSameBits([together.logDeterminant[s]], alone.logDeterminant);
    });
  });
}

function describeFailedPivots({ kernels }: KernelsUnderTest): void {
  /** Three matrices and their inverses, by n. */
  const intact = new Map<number, readonly [Float32Array, ReturnType<typeof invertIdentityMinus>]>();
  const intactOf = (n: number) => {
    const random = createRandom(seed, "pivots", n);
    const matrices = new Float32Array(3 * n * n);
    for (const s of [0, 1, 2]) matrices.set(randomContraction(random, n), s * n * n);
    return [matrices, invertIdentityMinus(kernels(), matrices, n, 3)] as const;
  };

  /** Applies `spoil` to the second matrix; returns the pivot reported for it. */
  const pivotAfter = (n: number, spoil: (m: Float32Array) => void): number => {
    const [matrices, before] = intact.get(n) ?? intactOf(n);
    intact.set(n, [matrices, before]);
    const spoilt = matrices.slice();
    spoil(spoilt.subarray(n * n, 2 * n * n));
    const after = invertIdentityMinus(kernels(), spoilt, n, 3);
    expect(after.inverse.subarray(n * n, 2 * n * n).every(Number.isNaN)).toBe(true);
    expect(after.logDeterminant[1]).toBeNaN();
    for (const s of [0, 2]) {
      const part = ({ inverse }: typeof after): FloatArray =>
        inverse.subarray(s * n * n, (s + 1) * n * n);
      expectSameBits(part(after), part(before), "the other matrices");
      expect(after.logDeterminant[s]).toBe(before.logDeterminant[s]);
      expect(after.failedPivot[s]).toBe(-1);
    }
    return after.failedPivot[1];
  };

  test.each(pivotsToBreak)("n = %d: names a pivot that is negative, 0 or NaN", (n, pivots) => {
    for (const k of pivots) {
      // The pivots of I − M are at most 1, and those before k do not depend on M_kk.
      const negative = (m: Float32Array): number => (m[k * n + k] += 2);
      expect(pivotAfter(n, negative), `negative pivot ${k}`).toBe(k);
      const zero = (m: Float32Array): void => {
        for (let i = 0; i < n; i += 1) m[i * n + k] = m[k * n + i] = i === k ? 1 : 0;
      };
      expect(pivotAfter(n, zero), `pivot ${k} = 0`).toBe(k);
      const notANumber = (m: Float32Array): number => (m[k * n + k] = NaN);
      expect(pivotAfter(n, notANumber), `pivot ${k} is NaN`).toBe(k);
      const infinite = (m: Float32Array): number => (m[k * n + k] = Infinity);
      expect(pivotAfter(n, infinite), `pivot ${k} is −∞`).toBe(k);
    }
  });

  test("an off-diagonal NaN or ∞ fails at the later pivot of its row and column", () => {
    const n = 40;
    const places = [
      [0, 1],
      [1, 0],
      [3, 30],
      [30, 3],
      [17, 18],
      [39, 20],
      [5, 39],
    ];
    for (const [i, j] of places) {
      for (const value of [NaN, Infinity]) {
        const spoil = (m: Float32Array): number => (m[i * n + j] = value);
        expect(pivotAfter(n, spoil), `M[${i}, ${j}] = ${value}`).toBe(Math.max(i, j));
      }
    }
  });

  test("names the first of two bad pivots", () => {
    const n = 40;
    const spoil = (m: Float32Array): void => {
      for (const k of [21, 22, 35]) m[k * n + k] += 2;
    };
    expect(pivotAfter(n, spoil)).toBe(21);
  });
}

function invert(kernels: Kernels, matrix: FloatArray, n: number): Inverse {
  const inverse = kernels.floats(n * n);
  const logDeterminant = kernels.invert(matrix, n, inverse);
  return { inverse, logDeterminant };
}

function describeInvert(subject: KernelsUnderTest): void {
  const { kernels } = subject;
  const normal = (n: number, purpose: string): Float32Array =>
    createRandom(seed, purpose, n).normalFill(new Float32Array(n * n));

  test.each(testSizes)("n = %d: inverts a normal random matrix within the error bound", (n) => {
    const matrix = normal(n, "normal matrix");
    expectInverse(subject, matrix, n, invert(kernels(), matrix, n));
  });

  test.each([2, 3, 17, 40, 64])("n = %d: pivots around leading blocks of zeros", (n) => {
    const matrix = normal(n, "zero block");
    const zeros = Math.floor(n / 2);
    for (let i = 0; i < zeros; i += 1) matrix.fill(0, i * n, i * n + zeros);
    expectInverse(subject, matrix, n, invert(kernels(), matrix, n));
  });

  test.each([3, 17, 64])("n = %d: rows of sizes 1e-6 to 1e6 cost at most a digit", (n) => {
    const matrix = normal(n, "scaled rows");
    for (let k = 0; k < n * n; k += 1) matrix[k] *= 10 ** ((Math.floor(k / n) % 13) - 6);
    // Pivoting depends on the size of a row, although it does not affect accuracy.
    expectInverse(subject, matrix, n, invert(kernels(), matrix, n), undefined, 10);
  });

  // Float32 can represent 1e±24 and its reciprocal, but a determinant of 16 of them overflows even
  // in Float64.
  test.each([1e-24, 1e-20, 1e20, 1e24])(
    "n = 17: a matrix with entries of size %d is not singular",
    (size) => {
      const n = 17;
      const matrix = normal(n, "size").map((value) => value * size);
      expectInverse(subject, matrix, n, invert(kernels(), matrix, n));
    },
  );

  test("writes the inverse at an odd offset, and nothing beside it", () => {
    const n = 9;
    const matrix = normal(n, "offset");
    const around = kernels()
      .floats(n * n + 4)
      .fill(7);
    kernels().invert(matrix, n, around.subarray(1, 1 + n * n));
    expectSameBits(around.subarray(1, 1 + n * n), invert(kernels(), matrix, n).inverse);
    expectSameBits([around[0], ...around.subarray(1 + n * n)], [7, 7, 7, 7]);
  });
}

function describeSpecialInverses({ kernels }: KernelsUnderTest): void {
  test.each([1, 2, 7, 17, 64, 100])("n = %d: the inverse of a permutation is exact", (n) => {
    const order = createRandom(seed, "permutation", n).permutation(n);
    const { inverse, logDeterminant } = invert(kernels(), permutationMatrix(order), n);
    const back = new Uint32Array(n);
    order.forEach((to, from) => (back[to] = from));
    expectClose(inverse, permutationMatrix(back));
    expect(logDeterminant).toBeCloseTo(0, 15);
  });

  const spoil: Record<string, (a: Float32Array, n: number, k: number) => void> = {
    "a row of zeros": (a, n, k) => a.fill(0, k * n, (k + 1) * n),
    "a column of zeros": (a, n, k) => {
      for (let i = 0; i < n; i += 1) a[i * n + k] = 0;
    },
    "a NaN": (a, n, k) => {
      a[k * n + n - 1] = NaN;
    },
    "an ∞": (a, n, k) => {
      a[k * n + n - 1] = Infinity;
    },
  };
  test.each(Object.keys(spoil))(
    "a matrix with %s has NaN for inverse and log-determinant",
    (how) => {
      for (const n of [1, 3, 17, 40]) {
        for (const k of new Set([0, Math.floor(n / 2), n - 1])) {
          const matrix = createRandom(seed, how, n, k).normalFill(new Float32Array(n * n));
          spoil[how](matrix, n, k);
          const { inverse, logDeterminant } = invert(kernels(), matrix, n);
          expect(logDeterminant, `n = ${n}, at ${k}`).toBeNaN();
          expect(inverse.every(Number.isNaN), `n = ${n}, at ${k}`).toBe(true);
        }
      }
    },
  );

  test("equal rows of powers of two, which elimination subtracts exactly, are singular", () => {
    for (const n of [2, 17, 40]) {
      const random = createRandom(seed, "equal rows", n);
      const matrix = new Float32Array(n * n);
      // Upper triangular with powers of two on the diagonal, except for the last row, which repeats
      // the previous one.
      for (let i = 0; i < n; i += 1) {
        for (let j = i; j < n; j += 1)
          matrix[i * n + j] = 2 ** (random.integer(4) - (i === j ? 0 : 4));
      }
      matrix.copyWithin((n - 1) * n, (n - 2) * n, (n - 1) * n);
      expect(invert(kernels(), matrix, n).logDeterminant, `n = ${n}`).toBeNaN();
    }
  });
}
