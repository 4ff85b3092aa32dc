import type {
  FloatArray,
  GdnKernel,
  GdnShape,
  Kernels,
  SampleResults,
} from "../../kernels/kernels.js";
import { referenceKernels } from "../../kernels/reference/index.js";
import { spreadOverEntries } from "../gdn-structures.js";
import type { Gdn } from "../gdn.js";

/** Does one sample again, with its own part of the results. */
export type Retry = (kernel: GdnKernel, results: SampleResults, sample: number) => void;

/**
 * Heavy tails: |z|^α of a sample far out may leave the range of Float32 where z and y do not. The
 * few samples that failed are done again by the specification, in Float64.
 */
export class GdnRescue {
  /** Opened for the first sample that needs it. */
  private kernel: GdnKernel | undefined;

  constructor(
    private readonly kernels: Kernels,
    private readonly shape: GdnShape,
    private readonly layer: Gdn,
  ) {}

  /**
   * Until the first sample that the specification refuses, too: the pass has then failed whatever
   * the others do.
   */
  retry(count: number, results: SampleResults, again: Retry): void {
    if (this.kernels === referenceKernels) return;
    for (let s = 0; s < count; s++) {
      if (results.failedPivot[s] < 0) continue;
      if (!this.kernel) {
        this.kernel = referenceKernels.gdn(this.shape);
        this.kernel.load(spreadOverEntries(this.layer));
      }
      again(this.kernel, resultsOf(results, s, this.shape.dimension), s);
      if (results.failedPivot[s] >= 0) return;
    }
  }
}

function resultsOf(
  { y, logDeterminant, energy, failedPivot }: SampleResults,
  s: number,
  n: number,
): SampleResults {
  return {
    y: y && rowOf(y, s, n),
    logDeterminant: logDeterminant.subarray(s, s + 1),
    energy: energy.subarray(s, s + 1),
    failedPivot: failedPivot.subarray(s, s + 1),
  };
}

/** Sample s of rows of n values. */
export function rowOf<T extends FloatArray>(rows: T, s: number, n: number): T {
  return rows.subarray(s * n, (s + 1) * n) as T;
}
