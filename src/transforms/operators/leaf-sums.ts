import type { FloatArray, Kernels } from "../../kernels/kernels.js";
import { foldTree } from "../../kernels/reduction-tree.js";

/**
 * Sums over samples in the order and precision of the kernels: Float64 within a leaf, then leaves
 * pairwise along the tree in the precision of the kernels, so that it does not matter how tasks are
 * cut.
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
