/**
 * The change of negentropy by a transform, paper eq. (4), in nats:
 *
 *   ΔJ = E( ½‖y‖² − log |det ∂y/∂x| − ½‖x‖² )
 */
import type { BatchOptions } from "../density/batch-passes.js";
import { gaussianizeBatch } from "../density/induced-density.js";
import { expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import type { Transform } from "../transforms/transform.js";

export interface NegentropyDifference {
  readonly inNats: number;
  readonly inNatsPerDimension: number;
}

/** Returns ΔJ between x and y = g(x), paper eq. (4). */
export async function negentropyDifference(
  runner: TaskRunner,
  transform: Transform,
  x: FloatArray,
  options?: BatchOptions,
): Promise<NegentropyDifference> {
  const { energy, logDeterminant } = await gaussianizeBatch(runner, transform, x, false, options);
  const n = transform.dimension;
  // Unlike log p, a mean needs samples.
  if (energy.length === 0) throw expected("x", `hold at least one sample of ${n} values`, 0);
  let sum = 0;
  for (let s = 0; s < energy.length; s++) {
    let before = 0;
    for (let k = s * n; k < (s + 1) * n; k++) before += x[k] * x[k];
    sum += energy[s] - logDeterminant[s] - before / 2;
  }
  const inNats = sum / energy.length;
  return { inNats, inNatsPerDimension: inNats / n };
}
