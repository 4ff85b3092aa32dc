import { describe, expect, test } from "vitest";
import { createRandom } from "../../src/random/random-stream.js";
import { pcaWhitening, zcaWhitening } from "../../src/transforms/whitening.js";
import { expectClose, expectSameBits } from "../support/expect-close.js";
import { expectError, refusal } from "../support/expect-error.js";

const random = createRandom(1, "whitening");

/** Returns samples of a mixture with very different variances. */
function samples(n: number, count: number): Float64Array {
  const mixing = random.stream("mixing", n).normalFill(new Float64Array(n * n));
  const sources = random.stream("sources", n).normalFill(new Float64Array(n * count));
  const x = new Float64Array(n * count);
  for (let s = 0; s < count; s++) {
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) x[s * n + i] += mixing[i * n + j] * sources[s * n + j] * (j + 1);
    }
  }
  return x;
}

/** Returns E(x xᵀ). */
function covarianceOf(x: Float64Array, n: number): Float64Array {
  const covariance = new Float64Array(n * n);
  for (let k = 0; k < x.length; k++) {
    for (let j = 0; j < n; j++) {
      covariance[(k % n) * n + j] += (x[k] * x[k - (k % n) + j]) / (x.length / n);
    }
  }
  return covariance;
}

/** Returns H C Hᵀ. */
function conjugated(H: Float64Array, matrix: Float64Array, n: number): Float64Array {
  return H.map((_, kl) => {
    const [k, l] = [Math.floor(kl / n), kl % n];
    let sum = 0;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) sum += H[k * n + i] * matrix[i * n + j] * H[l * n + j];
    }
    return sum;
  });
}

function identity(n: number): Float64Array {
  return new Float64Array(n * n).map((_, k) => (k % (n + 1) === 0 ? 1 : 0));
}

const whitenings = [
  { name: "zcaWhitening", whitening: zcaWhitening },
  { name: "pcaWhitening", whitening: pcaWhitening },
];

describe.each(whitenings)("$name", ({ whitening }) => {
  test.each([1, 2, 5, 16])("gives %i-dimensional data identity covariance, to 1e-9", (n) => {
    const x = samples(n, 400);
    const H = whitening(x, n);
    // The condition numbers of these mixtures are below 1e6, and C is accurate to 1e-15 of its
    // largest entry.
    expectClose(conjugated(H, covarianceOf(x, n), n), identity(n), { absolute: 1e-9 }, "H C Hᵀ");
  });

  test("gives the same bits for the same values in Float32 and Float64", () => {
    const x = Float32Array.from(samples(5, 100));
    expectSameBits(whitening(x, 5), whitening(Float64Array.from(x), 5));
  });

  test("rejects data that do not vary in some direction", () => {
    const flat = Float64Array.from({ length: 30 }, (_, k) => (k % 3 === 2 ? 0 : Math.sin(k)));
    expectError(() => whitening(flat, 3), { code: "degenerate-data" });
    expect(() => whitening(new Float64Array(4), 1)).toThrow("the variance along one is 0");
  });

  test("requires as many samples as dimensions", () => {
    expect(() => whitening(samples(5, 4), 5)).toThrow(
      refusal("x", "hold at least 5 samples of 5 values", 4),
    );
  });

  test.each([0, -2, 1.5, NaN])("rejects %d dimensions", (n) => {
    expectError(() => whitening(samples(3, 4), n), {
      code: "invalid-argument",
      argument: "dimension",
      phrase: "4096",
    });
  });

  test("rejects invalid samples", () => {
    const x = samples(2, 10);
    expectError(() => whitening(x.subarray(1), 2), { code: "invalid-argument", argument: "x" });
    x[7] = NaN;
    expectError(() => whitening(x, 2), { code: "invalid-argument", argument: "x[3][1]" });
    expectError(() => whitening([1, 2] as unknown as Float64Array, 1), {
      code: "invalid-argument",
      argument: "x",
    });
  });
});

describe("zcaWhitening", () => {
  test.each([1, 2, 5, 16])("is symmetric in %i dimensions", (n) => {
    const H = zcaWhitening(samples(n, 400), n);
    const transposed = H.map((_, k) => H[(k % n) * n + Math.floor(k / n)]);
    expectClose(H, transposed, { absolute: 1e-9 });
  });
});

describe("pcaWhitening", () => {
  test.each([2, 5, 16])("has orthogonal rows sorted by variance in %i dimensions", (n) => {
    const x = samples(n, 400);
    const H = pcaWhitening(x, n);
    const axes = conjugated(H, identity(n), n);
    const norms = Float64Array.from({ length: n }, (_, k) => Math.sqrt(axes[k * (n + 1)]));
    const cosines = axes.map((dot, kl) => dot / (norms[Math.floor(kl / n)] * norms[kl % n]));
    expectClose(cosines, identity(n), { absolute: 1e-12 }, "cosines between rows");
    // A row is an axis divided by the deviation along it.
    for (let k = 1; k < n; k++) expect(norms[k]).toBeGreaterThan(norms[k - 1]);
    const total = norms.reduce((sum, norm) => sum + 1 / norm ** 2, 0);
    const covariance = covarianceOf(x, n);
    const trace = covariance.reduce((sum, c, k) => sum + (k % (n + 1) === 0 ? c : 0), 0);
    expectClose(total, trace, { relative: 1e-12 }, "the sum of the variances");
  });

  test.each([1, 2, 5, 16])("makes the largest entry of each of %i rows positive", (n) => {
    const H = pcaWhitening(samples(n, 400), n);
    for (let k = 0; k < n; k++) {
      const row = H.subarray(k * n, (k + 1) * n);
      expect(Math.max(...row)).toBe(Math.max(...row.map(Math.abs)));
    }
  });

  test("has a closed form for uncorrelated data", () => {
    // Two samples of opposite sign on each axis; the sums of squares are 8, 72 and 2.
    const x = new Float64Array(18);
    [2, 6, 1].forEach((value, i) => {
      x[6 * i + i] = value;
      x[6 * i + 3 + i] = -value;
    });
    const [first, second, third] = [8, 72, 2].map((sum) => 1 / Math.sqrt(sum / 6));
    const expected = [0, second, 0, first, 0, 0, 0, 0, third];
    expectClose(pcaWhitening(x, 3), expected, { relative: 4 * Number.EPSILON });
  });
});
