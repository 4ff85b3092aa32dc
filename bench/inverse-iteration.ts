/**
 * (d) The inverse of a fitted layer: Newton's method against the paper's fixed point, to the same
 * residual, one thread.
 */
import type { FloatArray, InversionMethod, Kernels } from "../src/kernels/kernels.js";
import { createRandom } from "../src/random/random-stream.js";
import type { Gdn } from "../src/transforms/gdn.js";
import type { GdnKernel } from "../src/kernels/kernels.js";
import { spreadOverEntries } from "../src/transforms/gdn-structures.js";
import { medianOf } from "../src/numbers/order-statistics.js";

const samples = 64;

export interface IterationFigures {
  readonly medianIterations: number;
  readonly microsecondsPerSample: number;
  readonly unconverged: number;
}

export interface InversionFigures {
  readonly dimension: number;
  /** Both end below this residual. */
  readonly tolerance: number;
  readonly newton: IterationFigures;
  readonly fixedPoint: IterationFigures;
  /** Times that Newton's method is faster. */
  readonly speedup: number;
}

export function measureInversion(
  kernels: Kernels,
  layer: Gdn,
  milliseconds: number,
): InversionFigures {
  const parameters = { ...spreadOverEntries(layer), H: null };
  const n = parameters.dimension;
  const kernel = kernels.gdn({
    form: parameters.form,
    dimension: n,
    linear: false,
    leafSize: 16,
    maximumLeaves: 1,
  });
  kernel.load(parameters);
  // What `sample` inverts.
  const y = createRandom(1, "bench-inversion").normalFill(kernels.floats(samples * n));
  const newton = new Timed(kernels, kernel, y, n, "newton");
  const fixedPoint = new Timed(kernels, kernel, y, n, "fixed-point");
  // In turns, so that a slow minute of the machine hits both.
  for (const end = performance.now() + milliseconds; performance.now() < end;) {
    newton.pass();
    fixedPoint.pass();
  }
  const [ours, papers] = [newton.figures(), fixedPoint.figures()];
  return {
    dimension: n,
    tolerance: kernels.tolerance,
    newton: ours,
    fixedPoint: papers,
    speedup: papers.microsecondsPerSample / ours.microsecondsPerSample,
  };
}

/** Inverts sample by sample, and keeps the best time of each. */
class Timed {
  private readonly best: Float64Array;
  private readonly iterations: Int32Array;
  private readonly converged: Uint8Array;

  constructor(
    private readonly kernels: Kernels,
    private readonly kernel: GdnKernel,
    private readonly y: FloatArray,
    private readonly n: number,
    private readonly method: InversionMethod,
  ) {
    const count = y.length / n;
    this.best = new Float64Array(count).fill(Infinity);
    this.iterations = new Int32Array(count);
    this.converged = new Uint8Array(count);
  }

  pass(): void {
    const { n, kernels, method } = this;
    // The defaults of `synthesize`.
    const maximumIterations = method === "newton" ? 100 : 10_000;
    const settings = { method, tolerance: kernels.tolerance, maximumIterations };
    const z = kernels.floats(n);
    const residual = new Float64Array(1);
    for (let s = 0; s < this.best.length; s++) {
      const start = performance.now();
      this.kernel.synthesize(this.y.subarray(s * n, (s + 1) * n), 1, settings, {
        z,
        residual,
        iterations: this.iterations.subarray(s, s + 1),
        converged: this.converged.subarray(s, s + 1),
      });
      this.best[s] = Math.min(this.best[s], performance.now() - start);
    }
  }

  figures(): IterationFigures {
    const mean = this.best.reduce((sum, value) => sum + value, 0) / this.best.length;
    return {
      medianIterations: medianOf([...this.iterations]),
      microsecondsPerSample: 1000 * mean,
      unconverged: this.converged.filter((value) => value === 0).length,
    };
  }
}
