import { describe, expect, test } from "vitest";
import { createRandom } from "../../src/random/random-stream.js";
import { symmetricEigen } from "../../src/transforms/symmetric-eigen.js";
import { seed } from "../support/seed.js";

type Entry = (i: number, j: number) => number;

function symmetric(n: number, entry: Entry): Float64Array {
  const a = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) a[i * n + j] = a[j * n + i] = entry(i, j);
  }
  return a;
}

/** Returns the largest |Vᵀ Λ V − A| / |A| and |V Vᵀ − I|. */
function errors(a: Float64Array, n: number): [reconstruction: number, orthogonality: number] {
  const { values, vectors } = symmetricEigen(a, n);
  let [reconstruction, orthogonality, largest] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let [sum, product] = [0, 0];
      for (let k = 0; k < n; k++) {
        sum += vectors[k * n + i] * values[k] * vectors[k * n + j];
        product += vectors[i * n + k] * vectors[j * n + k];
      }
      reconstruction = Math.max(reconstruction, Math.abs(sum - a[i * n + j]));
      orthogonality = Math.max(orthogonality, Math.abs(product - (i === j ? 1 : 0)));
      largest = Math.max(largest, Math.abs(a[i * n + j]));
    }
  }
  return [reconstruction / largest, orthogonality];
}

const cases: Record<string, (n: number) => Entry> = {
  random: (n) => {
    const random = createRandom(seed, "symmetric", n);
    return () => random.normal();
  },
  diagonal: () => (i, j) => (i === j ? i - 1.5 : 0),
  "of rank one": (n) => {
    const u = createRandom(seed, "rank one", n).normalFill(new Float64Array(n));
    return (i, j) => u[i] * u[j];
  },
  "of low rank": (n) => {
    const rank = Math.ceil(n / 4);
    const u = createRandom(seed, "low rank", n).normalFill(new Float64Array(n * rank));
    return (i, j) => {
      let sum = 0;
      for (let k = 0; k < rank; k++) sum += u[i * rank + k] * u[j * rank + k];
      return sum;
    };
  },
  "with equal eigenvalues": () => (i, j) => (i === j ? 2 : 0),
  "of eigenvalues over twelve decades": (n) => {
    const random = createRandom(seed, "decades", n);
    return (i, j) => (i === j ? 10 ** ((-12 * i) / n) : 1e-14 * random.normal());
  },
  huge: (n) => {
    const random = createRandom(seed, "huge", n);
    return () => 1e200 * random.normal();
  },
};

describe.each([1, 2, 3, 7, 17, 64, 144])("symmetricEigen, N = %i", (n) => {
  test.each(Object.keys(cases))("decomposes a matrix that is %s, to N² roundings", (name) => {
    const [reconstruction, orthogonality] = errors(symmetric(n, cases[name](n)), n);
    expect(reconstruction).toBeLessThan(n * n * 4 * Number.EPSILON);
    expect(orthogonality).toBeLessThan(n * n * 4 * Number.EPSILON);
  });
});

test("finds the eigenvalues of the second difference, 2 − 2 cos(kπ/(N + 1))", () => {
  const n = 12;
  const matrix = symmetric(n, (i, j) => (i === j ? 2 : i - j === 1 ? -1 : 0));
  const values = [...symmetricEigen(matrix, n).values].sort((a, b) => a - b);
  values.forEach((value, k) => {
    expect(value).toBeCloseTo(2 - 2 * Math.cos(((k + 1) * Math.PI) / (n + 1)), 13);
  });
});

test("rejects a matrix with NaN instead of looping forever", () => {
  expect(() => symmetricEigen([1, NaN, NaN, 1], 2)).toThrow("Cannot find the eigenvalues");
});
