/**
 * How much more Gaussian the data became, paper eq. (4), in nats:
 *
 *   ΔJ = E( ½‖y‖² − log |det ∂y/∂x| − ½‖x‖² )
 */
import { expected } from "../errors.js";
import type { Gaussianized } from "../density/induced-density.js";
import type { FloatArray } from "../kernels/kernels.js";

export function negentropyDifference(
  x: FloatArray,
  { y, logDeterminant }: Gaussianized,
): { readonly inNats: number; readonly inNatsPerDimension: number } {
  const count = logDeterminant.length;
  if (y.length !== x.length) throw expected("y", `hold ${x.length} values, as x does`, y.length);
  const dimension = x.length / count;
  let sum = 0;
  for (let k = 0; k < x.length; k++) sum += (y[k] * y[k] - x[k] * x[k]) / 2;
  for (const value of logDeterminant) sum -= value;
  const inNats = sum / count;
  return { inNats, inNatsPerDimension: inNats / dimension };
}
