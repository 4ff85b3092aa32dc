/** Inverse of the normalization in WebAssembly, leaf by leaf. */
import type { GdnForm, GdnShape, InversionResults, InversionSettings } from "../kernels.js";
import type { GdnBlock, GdnLayout } from "./gdn-memory.js";
import type { KernelInstance } from "./instance.js";
import { copyRowsOut } from "./padding.js";

/** Forms in the order of kernels/gdn-synthesis-forms.ts. */
const gdnForms: readonly GdnForm[] = ["general", "column", "diagonal", "low-rank"];

export class WasmGdnInverse {
  /** Whether the coarse copy of γ is up to date. */
  private coarseIsCurrent = false;

  constructor(
    private readonly memory: KernelInstance<GdnBlock>,
    private readonly layout: GdnLayout,
    private readonly shape: GdnShape,
  ) {}

  /** To be called when γ has changed or the kernel has used the memory of its coarse copy. */
  coarseCopyIsLost(): void {
    this.coarseIsCurrent = false;
  }

  /** Inverts the y in the kernel's memory; the first sample has index `first` in the results. */
  invertLeaf(
    { method, tolerance, maximumIterations }: InversionSettings,
    results: InversionResults,
    first: number,
    samples: number,
  ): void {
    const { form } = this.shape;
    const newton = method === "newton";
    if (newton && form === "column") this.coarsenGamma();
    this.memory.exports.synthesize(
      this.memory.address("layer"),
      gdnForms.indexOf(form),
      newton,
      tolerance,
      maximumIterations,
    );
    this.copyOut(results, first, samples, tolerance);
  }

  /** Coarsens a copy of γ, because coarsening removes the diagonal. */
  private coarsenGamma(): void {
    if (this.coarseIsCurrent) return;
    const { memory } = this;
    const { stride, paddedN } = this.layout;
    memory.float32("matrix", stride * paddedN).set(memory.float32("gamma", stride * paddedN));
    memory.exports.coarsen(memory.address("coarse"), memory.address("matrix"), 4 * stride, paddedN);
    this.coarseIsCurrent = true;
  }

  private copyOut(
    results: InversionResults,
    first: number,
    samples: number,
    tolerance: number,
  ): void {
    const { n, stride } = this.layout;
    const residual = this.memory.float64("residual", samples);
    results.residual.set(residual, first);
    results.iterations.set(this.memory.int32("iterations", samples), first);
    residual.forEach((value, s) => (results.converged[first + s] = value <= tolerance ? 1 : 0));
    const rows = this.memory.float32(this.shape.linear ? "z" : "x", stride * samples);
    copyRowsOut(results.z.subarray(first * n), rows, stride, samples, n);
  }
}
