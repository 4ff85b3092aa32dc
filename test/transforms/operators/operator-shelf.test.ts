import { describe, expect, test } from "vitest";
import { startingGdn } from "../../../src/transforms/gdn-start.js";
import { linear } from "../../../src/transforms/linear.js";
import type { Kernels } from "../../../src/kernels/kernels.js";
import { referenceKernels } from "../../../src/kernels/reference/index.js";
import { unreadResults } from "../../../src/transforms/stage-kind.js";
import { OperatorShelf } from "../../../src/transforms/operators/operator-shelf.js";

const leaves = { leafSize: 4, maximumLeaves: 1 };

/** Two densities of pairs that need different kernels. */
const H = [1, 0.3, -0.2, 1];
const column = startingGdn({ structure: "column", dimension: 2, H });
const marginal = startingGdn({ structure: "marginal", dimension: 2, H });

function countingKernels(): { kernels: Kernels; opened: () => number } {
  let count = 0;
  const kernels: Kernels = {
    ...referenceKernels,
    gdn: (shape) => {
      count++;
      return referenceKernels.gdn(shape);
    },
  };
  return { kernels, opened: () => count };
}

describe("the shelf of operators", () => {
  test("opens one kernel for each of two transforms that take turns", () => {
    const { kernels, opened } = countingKernels();
    const shelf = new OperatorShelf(kernels);
    for (let turn = 0; turn < 10; turn++) {
      shelf.open([column], leaves);
      shelf.open([marginal], leaves);
    }
    expect(opened()).toBe(2);
  });

  test("opens the kernels of a deep stack once, although another transform takes turns", () => {
    const { kernels, opened } = countingKernels();
    const shelf = new OperatorShelf(kernels);
    const deep = Array.from({ length: 20 }, () => column);
    for (let turn = 0; turn < 3; turn++) {
      shelf.open([marginal], leaves);
      shelf.open(deep, leaves);
    }
    expect(opened()).toBe(21);
  });

  test("gives two stages of the same shape separate operators", () => {
    const shelf = new OperatorShelf(referenceKernels);
    for (let turn = 0; turn < 2; turn++) {
      const [first, second] = shelf.open([column, column], leaves);
      expect(first).not.toBe(second);
    }
  });

  test("loads the parameters of the new stage into a reused operator", () => {
    const shelf = new OperatorShelf(referenceKernels);
    shelf.open([linear({ dimension: 2, H: [1, 0, 0, 1] })], leaves);
    const [operator] = shelf.open([linear({ dimension: 2, H: [2, 0, 0, 3] })], leaves);
    const y = new Float64Array(2);
    operator.gaussianize(Float64Array.of(1, 1), 1, unreadResults(1, y));
    expect([...y]).toEqual([2, 3]);
  });

  test("discards idle operators of many dimensions", () => {
    const { kernels, opened } = countingKernels();
    const shelf = new OperatorShelf(kernels);
    const n = 65;
    const identity = Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0));
    for (let turn = 0; turn < 3; turn++) {
      shelf.open([linear({ dimension: n, H: identity })], leaves);
      shelf.open([column], leaves);
    }
    // The large one each time, the other one once.
    expect(opened()).toBe(3 + 1);
  });
});
