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

/** Repeats one sample, with its part of the results. */
export type Retry = (kernel: GdnKernel, results: SampleResults, sample: number) => void;

/**
 * Repeats failed samples with the Float64 specification: for a sample far out in a heavy tail,
 * |z|^α may overflow in Float32 although z and y do not.
 */
export class GdnRescue {
  /** Created for the first failed sample. */
  private kernel: GdnKernel | undefined;

  constructor(
    private readonly kernels: Kernels,
    private readonly shape: GdnShape,
    private readonly layer: Gdn,
  ) {}

  /**
   * Repeats each failed sample. The others count even if one fails in Float64, too: in a mixture,
   * another leaf may have a density there.
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

/** Returns row s, a sample of n values. */
export function rowOf<T extends FloatArray>(rows: T, s: number, n: number): T {
  return rows.subarray(s * n, (s + 1) * n) as T;
}
