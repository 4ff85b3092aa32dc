/** Patches in the order of their classes, brought into their poses (patch-classes.ts). */
import type { FloatArray, Kernels } from "../../kernels/kernels.js";
import { classOfKind, poseOfKind } from "./patch-classes.js";

/** Returns the patches in the order of their classes, and the number of each class. */
export function byClass(kinds: Uint16Array, classes: number) {
  const counts = new Int32Array(classes);
  for (const kind of kinds) counts[classOfKind(kind)]++;
  const next = new Int32Array(classes);
  for (let c = 1; c < classes; c++) next[c] = next[c - 1] + counts[c - 1];
  const order = new Uint32Array(kinds.length);
  kinds.forEach((kind, patch) => {
    order[next[classOfKind(kind)]++] = patch;
  });
  return { order, counts };
}

/** Copies rows of values in this order, brought into the poses of their patches. */
export function posed(
  kernels: Kernels,
  values: Float32Array,
  kinds: Uint16Array,
  order: Uint32Array,
  maps: readonly Uint16Array[],
): FloatArray {
  const { length } = maps[0];
  const out = kernels.floats(values.length);
  let to = 0;
  for (const patch of order) {
    const map = maps[poseOfKind(kinds[patch])];
    const first = patch * length;
    for (let k = 0; k < length; k++) out[to++] = values[first + map[k]];
  }
  return out;
}
