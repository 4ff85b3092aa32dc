import { describe, expect, test } from "vitest";
import { createRandom } from "../../src/random/random-stream.js";
import {
  differenceFromIdentity,
  nearestOrthogonal,
  product,
} from "../../src/transforms/nearest-orthogonal.js";
import { expectClose } from "../support/expect-close.js";
import { seed } from "../support/seed.js";

const random = createRandom(seed, "nearest orthogonal");

function transposed(A: Float64Array, n: number): Float64Array {
  return A.map((_, k) => A[(k % n) * n + Math.floor(k / n)]);
}

describe(`nearestOrthogonal, seed ${seed}`, () => {
  test.each([1, 2, 5, 17, 64])("returns the nearest orthogonal matrix, %i rows", (n) => {
    const A = random.stream("matrix", n).normalFill(new Float64Array(n * n));
    const R = nearestOrthogonal(A, n)!;
    const gram = product(R, transposed(R, n), n);
    expect(differenceFromIdentity(gram, n)).toBeLessThanOrEqual(4 * n * Number.EPSILON);
    // A = P R with P = A Rᵀ symmetric and positive distinguishes the nearest from other orthogonal
    // matrices.
    const P = product(A, transposed(R, n), n);
    expectClose(P, transposed(P, n), { absolute: 1e-12 * n }, "P");
    for (let i = 0; i < n; i++) expect(P[i * (n + 1)]).toBeGreaterThan(0);
  });

  test("is exact for diagonal matrices, however unequal", () => {
    const A = Float64Array.of(1e-9, 0, 0, 0, -1e6, 0, 0, 0, 3);
    expectClose(nearestOrthogonal(A, 3)!, [1, 0, 0, 0, -1, 0, 0, 0, 1], {
      absolute: 16 * Number.EPSILON,
    });
  });

  test("is null for singular matrices", () => {
    expect(nearestOrthogonal(new Float64Array(4), 2)).toBeNull();
    expect(nearestOrthogonal(Float64Array.of(1, 1, 1, 1), 2)).toBeNull();
    expect(nearestOrthogonal(Float64Array.of(NaN), 1)).toBeNull();
  });
});
