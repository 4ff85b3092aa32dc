import { expected } from "../errors.js";
import type { FloatArray, Kernels } from "../kernels/kernels.js";
import { type IcaOptions, independentComponents } from "../transforms/ica.js";
import { type Linear, linear } from "../transforms/linear.js";

/**
 * The directions that independent component analysis finds in y (count×n), each scaled to variance 1. A normal vector is normal in
 * all of them; those of the components of y are arbitrary for RG, whose density does not change when y is rotated.
 */
export async function leastGaussianDirections(
  kernels: Kernels,
  y: FloatArray,
  n: number,
  options: IcaOptions = {},
): Promise<Linear> {
  const { H } = await independentComponents(kernels, y, n, options);
  return linear({ dimension: n, H });
}

/** ‖y‖ of the rows of y, count×n. */
export function lengthsOf(y: FloatArray, n: number): Float64Array {
  if (y.length % n !== 0) throw expected("y", `hold rows of ${n} values`, y.length);
  return Float64Array.from({ length: y.length / n }, (_, s) => {
    let sum = 0;
    for (let k = s * n; k < (s + 1) * n; k++) sum += y[k] * y[k];
    return Math.sqrt(sum);
  });
}
