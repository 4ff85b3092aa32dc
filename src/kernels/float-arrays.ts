import type { FloatArray, Kernels } from "./kernels.js";

/** left += right; returns left. */
export function addTo<T extends FloatArray>(left: T, right: FloatArray): T {
  for (let k = 0; k < left.length; k++) left[k] += right[k];
  return left;
}

/** Rounds values to the precision of the kernels; returns the same array if they have it. */
export function inPrecision(kernels: Kernels, values: FloatArray): FloatArray {
  if (kernels.floats(0).constructor === values.constructor) return values;
  const rounded = kernels.floats(values.length);
  rounded.set(values);
  return rounded;
}
