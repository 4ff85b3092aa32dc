/** The passes of one GDN layer over a run of samples, as a job for workers. */
import {
  type FloatArray,
  type GdnGradient,
  type GdnKernel,
  type GdnParameters,
  type GdnShape,
  type Kernels,
  gdnLengths,
} from "../kernels/kernels.js";
import type { Job, JobOutput } from "../parallel/job.js";

export interface GdnShared {
  readonly parameters: GdnParameters;
  readonly leafSize: number;
  readonly maximumLeaves: number;
}

export interface GdnTask {
  readonly pass: "gaussianize" | "backpropagate";
  /** count×N */
  readonly x: FloatArray;
  readonly count: number;
  /** count×N: derivative of the loss by y; null for ½‖y‖². */
  readonly upstream: FloatArray | null;
  readonly wantsY: boolean;
  readonly wantsInputGradient: boolean;
  readonly wantsSums: boolean;
}

export interface GdnTaskResult {
  readonly y: FloatArray | null;
  readonly logDeterminant: Float64Array;
  readonly energy: Float64Array;
  readonly failedPivot: Int32Array;
  readonly xGradient: FloatArray | null;
  /** Null where they were not wanted. */
  readonly sums: GdnGradient | null;
}

export const gdnJob: Job<GdnShared, GdnTask, GdnTaskResult> = {
  name: "gdn",
  open(kernels) {
    let shape: GdnShape | undefined;
    let kernel: GdnKernel | undefined;
    return {
      share({ parameters, leafSize, maximumLeaves }) {
        const { form, dimension, H } = parameters;
        const wanted = { form, dimension, linear: H !== null, leafSize, maximumLeaves };
        if (!kernel || !shape || !suffices(shape, wanted)) {
          kernel = kernels.gdn(wanted);
          shape = wanted;
        }
        kernel.load(parameters);
      },
      perform(task) {
        if (!kernel || !shape) throw new Error("parameters come before tasks");
        return performPass(kernels, kernel, shape, task);
      },
    };
  },
};

/** Memory for more leaves than wanted will do. */
function suffices(present: GdnShape, wanted: GdnShape): boolean {
  return (
    present.form === wanted.form &&
    present.dimension === wanted.dimension &&
    present.linear === wanted.linear &&
    present.leafSize === wanted.leafSize &&
    present.maximumLeaves >= wanted.maximumLeaves
  );
}

function performPass(
  kernels: Kernels,
  kernel: GdnKernel,
  shape: GdnShape,
  task: GdnTask,
): JobOutput<GdnTaskResult> {
  const { x, count, upstream } = task;
  const values = count * shape.dimension;
  // One buffer for both.
  const scalars = new Float64Array(2 * count);
  const samples = {
    y: task.wantsY ? kernels.floats(values) : null,
    logDeterminant: scalars.subarray(0, count),
    energy: scalars.subarray(count),
    failedPivot: new Int32Array(count),
  };
  if (task.pass === "gaussianize") {
    kernel.gaussianize(x, count, samples);
    return output({ ...samples, xGradient: null, sums: null });
  }
  const sums = task.wantsSums ? zeroGradient(kernels, shape) : null;
  const xGradient = task.wantsInputGradient ? kernels.floats(values) : null;
  kernel.backpropagate(x, upstream, count, { ...samples, xGradient, sums });
  return output({ ...samples, xGradient, sums });
}

/** Zeros, all groups in one buffer: what moves between threads should be few pieces. */
export function zeroGradient(
  kernels: Kernels,
  { form, dimension, linear }: Pick<GdnShape, "form" | "dimension" | "linear">,
): GdnGradient {
  const { H, alpha, beta, gamma, epsilon } = gdnLengths(form, dimension);
  const ofLinear = linear ? H : 0;
  const all = kernels.floats(ofLinear + alpha + beta + gamma + epsilon);
  let start = 0;
  const take = (length: number): FloatArray => all.subarray(start, (start += length));
  return {
    H: linear ? take(H) : null,
    alpha: take(alpha),
    beta: take(beta),
    gamma: take(gamma),
    epsilon: take(epsilon),
  };
}

function output(result: GdnTaskResult): JobOutput<GdnTaskResult> {
  const { y, logDeterminant, failedPivot, xGradient, sums } = result;
  const arrays = [y, logDeterminant, failedPivot, xGradient, sums?.beta ?? null];
  const transfer = arrays.flatMap((array) => (array ? [array.buffer as ArrayBuffer] : []));
  return { result, transfer };
}
