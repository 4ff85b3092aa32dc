import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/random/random-stream.js";
import { symmetricEigen } from "../../src/transforms/symmetric-eigen.js";
import { zcaWhitening } from "../../src/transforms/whitening.js";

const random = createRandom(1, "whitening");

/** Samples of a mixture with strongly unequal variances. */
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

describe("symmetricEigen", () => {
  it.each([1, 2, 3, 17, 64])("diagonalises a symmetric %i×%i matrix to 1e-12", (n) => {
    const a = random.stream("symmetric", n).normalFill(new Float64Array(n * n));
    const symmetric = a.map((value, k) => value + a[(k % n) * n + Math.floor(k / n)]);
    const { values, vectors } = symmetricEigen(symmetric, n);
    const scale = Math.max(...values.map(Math.abs));
    for (let k = 0; k < n; k++) {
      for (let l = 0; l < n; l++) {
        let [dot, quadratic] = [0, 0];
        for (let i = 0; i < n; i++) {
          dot += vectors[k * n + i] * vectors[l * n + i];
          for (let j = 0; j < n; j++) {
            quadratic += vectors[k * n + i] * symmetric[i * n + j] * vectors[l * n + j];
          }
        }
        expect(Math.abs(dot - (k === l ? 1 : 0))).toBeLessThan(1e-12);
        expect(Math.abs(quadratic - (k === l ? values[k] : 0))).toBeLessThan(1e-12 * scale * n);
      }
    }
  });
});

describe("zcaWhitening", () => {
  it.each([1, 2, 5, 16])("gives %i-dimensional data the identity as covariance, to 1e-9", (n) => {
    const count = 400;
    const x = samples(n, count);
    const H = zcaWhitening(x, n);
    const y = new Float64Array(n * count);
    for (let s = 0; s < count; s++) {
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < n; j++) y[s * n + i] += H[i * n + j] * x[s * n + j];
      }
    }
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        let sum = 0;
        for (let s = 0; s < count; s++) sum += y[s * n + i] * y[s * n + j];
        expect(Math.abs(sum / count - (i === j ? 1 : 0))).toBeLessThan(1e-9);
        // ZCA, not PCA: H is symmetric.
        expect(Math.abs(H[i * n + j] - H[j * n + i])).toBeLessThan(1e-9);
      }
    }
  });

  it("says so where the data do not vary in some direction", () => {
    const flat = Float64Array.from({ length: 30 }, (_, k) => (k % 3 === 2 ? 0 : Math.sin(k)));
    expect(() => zcaWhitening(flat, 3)).toThrow("Expected the data to vary in all 3 directions");
  });
});
