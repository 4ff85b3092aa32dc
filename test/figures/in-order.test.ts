import { describe, expect, it } from "vitest";
import { matrixInOrder, rowsInOrder } from "../../src/figures/in-order.js";

describe("rows and matrices in an order", () => {
  it("are moved, a matrix by rows and columns", () => {
    const order = [1, 2, 0];
    expect([...rowsInOrder(Float32Array.of(1, -1, 2, -2, 3, -3), order, 2)]).toEqual([
      2, -2, 3, -3, 1, -1,
    ]);
    const matrix = Float64Array.from({ length: 9 }, (_, k) => k);
    expect([...matrixInOrder(matrix, order)]).toEqual([4, 5, 3, 7, 8, 6, 1, 2, 0]);
  });
});
