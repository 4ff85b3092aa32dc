/**
 * Sums that do not depend on how the work is divided. A batch is cut into leaves of a fixed size;
 * the sum over `leaves` leaves is defined by
 *
 *   sum(first, leaves) = sum(first, p) + sum(first + p, leaves − p),
 *   p the largest power of two below leaves,
 *
 * so it has the same bits for any number of workers or machines.
 */
import type { FloatArray, Kernels } from "./kernels.js";

/** Consecutive leaves that form a node of the tree. */
export interface TreeNode {
  readonly firstLeaf: number;
  readonly leaves: number;
}

/** Leaf size: small enough to keep many workers busy, large enough for efficient products. */
export function leafSizeFor(batch: number): number {
  return Math.min(32, Math.max(8, Math.ceil(batch / 32)));
}

/** Leaves of the left subtree. Uses bits because Math.log2 may differ between engines. */
export function leftLeaves(leaves: number): number {
  return 1 << (31 - Math.clz32(leaves - 1));
}

/** Cuts the tree into `parts` consecutive nodes (fewer if it has fewer leaves), largest first. */
export function splitTree(leaves: number, parts: number): TreeNode[] {
  const nodes: TreeNode[] = [{ firstLeaf: 0, leaves }];
  while (nodes.length < parts) {
    const largest = nodes.reduce(
      (best, node, k) => (node.leaves > nodes[best].leaves ? k : best),
      0,
    );
    const { firstLeaf, leaves: size } = nodes[largest];
    if (size < 2) break;
    const left = leftLeaves(size);
    nodes.splice(
      largest,
      1,
      { firstLeaf, leaves: left },
      { firstLeaf: firstLeaf + left, leaves: size - left },
    );
  }
  return nodes;
}

/** Adds the sums of the nodes from `splitTree` in the order of the tree. */
export function joinTree<Sum>(
  leaves: number,
  nodes: readonly TreeNode[],
  sums: readonly Sum[],
  add: (left: Sum, right: Sum) => Sum,
): Sum {
  let next = 0;
  const visit = (size: number): Sum => {
    if (nodes[next].leaves === size) return sums[next++];
    const left = leftLeaves(size);
    const leftSum = visit(left);
    return add(leftSum, visit(size - left));
  };
  return visit(leaves);
}

/**
 * Computes the same sum leaf by leaf from the left, with a stack of unfinished sums: `leaf(level,
 * index)` computes leaf `index` into slot `level`, `merge(target)` adds slot target + 1 to slot
 * target. The total ends in slot 0.
 */
export function foldTree(
  leaves: number,
  leaf: (level: number, index: number) => void,
  merge: (target: number) => void,
): void {
  const sizes: number[] = [];
  for (let index = 0; index < leaves; index++) {
    leaf(sizes.length, index);
    sizes.push(1);
    while (sizes.length > 1 && sizes[sizes.length - 1] === sizes[sizes.length - 2]) mergeTop();
  }
  while (sizes.length > 1) mergeTop();

  function mergeTop(): void {
    const top = sizes.pop() as number;
    sizes[sizes.length - 1] += top;
    merge(sizes.length - 1);
  }
}

/**
 * Sums over samples like the kernels do: in Float64 within a leaf, then from leaf to leaf along the
 * tree in the precision of the kernels.
 */
export function sumOverLeaves(
  kernels: Kernels,
  count: number,
  leafSize: number,
  totals: FloatArray,
  addSample: (sample: number, sums: Float64Array) => void,
): void {
  const slots: FloatArray[] = [totals];
  const within = new Float64Array(totals.length);
  foldTree(
    Math.ceil(count / leafSize),
    (level, leaf) => {
      within.fill(0);
      const end = Math.min(count, (leaf + 1) * leafSize);
      for (let s = leaf * leafSize; s < end; s++) addSample(s, within);
      slots[level] ??= kernels.floats(totals.length);
      slots[level].set(within);
    },
    (target) => {
      const [sum, other] = [slots[target], slots[target + 1]];
      for (let k = 0; k < sum.length; k++) sum[k] += other[k];
    },
  );
}
