import { linearToSrgb } from "../images/luminance.js";
import type { FloatArray } from "../kernels/kernels.js";

/** Linear light as a screen wants it; what is darker than black or brighter than white stays there. */
export function asDisplayed(values: FloatArray): Float32Array {
  return Float32Array.from(values, (value) => linearToSrgb(Math.min(1, Math.max(0, value))));
}
