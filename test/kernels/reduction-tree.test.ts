import { describe, expect, test } from "vitest";
import {
  foldTree,
  joinTree,
  leafSizeFor,
  leftLeaves,
  splitTree,
} from "../../src/kernels/reduction-tree.js";

/** A sum as text that shows the order of its additions: ((0+1)+2). */
const add = (left: string, right: string): string => `(${left}+${right})`;

/** The definition at the top of reduction-tree.ts. */
function definition(first: number, leaves: number): string {
  if (leaves === 1) return String(first);
  let p = 1;
  while (2 * p < leaves) p *= 2;
  return add(definition(first, p), definition(first + p, leaves - p));
}

function fold(first: number, leaves: number): { sum: string; slots: number } {
  const slots: string[] = [];
  let used = 0;
  foldTree(
    leaves,
    (level, index) => {
      slots[level] = String(first + index);
      used = Math.max(used, level + 1);
    },
    (target) => {
      slots[target] = add(slots[target], slots[target + 1]);
    },
  );
  return { sum: slots[0], slots: used };
}

const everyNumberOfLeaves = Array.from({ length: 70 }, (_, k) => k + 1);
const everyNumberOfParts = [1, 2, 3, 4, 5, 6, 7, 8, 9];

describe("the reduction tree", () => {
  test("foldTree adds 1 to 70 leaves in the order of the definition", () => {
    for (const leaves of everyNumberOfLeaves) {
      expect(fold(0, leaves).sum).toBe(definition(0, leaves));
    }
  });

  test("splitTree, foldTree on each part and joinTree add in the same order, for 1 to 9 parts", () => {
    for (const leaves of everyNumberOfLeaves) {
      for (const parts of everyNumberOfParts) {
        const nodes = splitTree(leaves, parts);
        const sums = nodes.map((node) => fold(node.firstLeaf, node.leaves).sum);
        expect(joinTree(leaves, nodes, sums, add)).toBe(definition(0, leaves));
      }
    }
  });

  test("splitTree returns consecutive nodes that cover every leaf, in the requested number", () => {
    for (const leaves of everyNumberOfLeaves) {
      for (const parts of everyNumberOfParts) {
        const nodes = splitTree(leaves, parts);
        let next = 0;
        for (const node of nodes) {
          expect(node.firstLeaf).toBe(next);
          expect(node.leaves).toBeGreaterThan(0);
          next += node.leaves;
        }
        expect(next).toBe(leaves);
        expect(nodes.length).toBe(Math.min(parts, leaves));
      }
    }
  });

  test("no node is more than twice as large as necessary", () => {
    for (const leaves of everyNumberOfLeaves) {
      for (const parts of everyNumberOfParts) {
        const largest = Math.max(...splitTree(leaves, parts).map((node) => node.leaves));
        expect(largest).toBeLessThanOrEqual(2 * Math.ceil(leaves / parts));
      }
    }
  });

  test("foldTree needs at most ⌈log2(leaves)⌉ + 1 slots, as many as the kernels reserve", () => {
    for (const leaves of everyNumberOfLeaves) {
      expect(fold(0, leaves).slots).toBeLessThanOrEqual(Math.ceil(Math.log2(leaves)) + 1);
    }
  });

  test("foldTree of no leaves does nothing", () => {
    const fail = (): never => {
      throw new Error("called");
    };
    expect(() => {
      foldTree(0, fail, fail);
    }).not.toThrow();
  });

  test("leftLeaves is the largest power of two below its argument, up to 2^30", () => {
    expect(leftLeaves(2)).toBe(1);
    expect(leftLeaves(3)).toBe(2);
    for (let power = 4; power <= 2 ** 30; power *= 2) {
      expect(leftLeaves(power - 1)).toBe(power / 2);
      expect(leftLeaves(power)).toBe(power / 2);
      expect(leftLeaves(power + 1)).toBe(power);
    }
  });
});

describe("leafSizeFor", () => {
  test("is an integer from 8 to 32 that does not decrease with the batch", () => {
    let previous = 0;
    for (let batch = 1; batch <= 3000; batch += 1) {
      const size = leafSizeFor(batch);
      expect(Number.isInteger(size) && size >= 8 && size <= 32).toBe(true);
      expect(size).toBeGreaterThanOrEqual(previous);
      previous = size;
    }
    expect([1, 256, 257, 512, 1024, 100_000].map(leafSizeFor)).toEqual([8, 8, 9, 16, 32, 32]);
  });

  test("cuts batches of up to 1024 into at most 32 leaves", () => {
    for (let batch = 1; batch <= 1024; batch += 1) {
      expect(Math.ceil(batch / leafSizeFor(batch))).toBeLessThanOrEqual(32);
    }
  });
});
