import { describe, expect, it } from "vitest";
import { coarseToFine, matrixInOrder, rowsInOrder } from "../../src/figures/filter-order.js";

describe("filters in order", () => {
  it("order filters from coarse to fine, and γ as them", () => {
    const size = 4;
    const flat = new Float32Array(16).fill(1);
    const slow = Float32Array.from({ length: 16 }, (_, k) => (k % 4 < 2 ? 1 : -1));
    const fast = Float32Array.from({ length: 16 }, (_, k) => ((k + (k >> 2)) % 2 === 0 ? 1 : -1));
    const order = coarseToFine(Float32Array.of(...fast, ...flat, ...slow), size);
    expect(order).toEqual([1, 2, 0]);
    expect([...rowsInOrder(Float32Array.of(1, 2, 3), order, 1)]).toEqual([2, 3, 1]);
    const matrix = Float64Array.from({ length: 9 }, (_, k) => k);
    expect([...matrixInOrder(matrix, order)]).toEqual([4, 5, 3, 7, 8, 6, 1, 2, 0]);
  });
});
