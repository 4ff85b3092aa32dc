/** Estimates of patches by one of the guided densities (guided-density.ts), and their gradients, as a job for workers. */
import type { FloatArray, Kernels } from "../../kernels/kernels.js";
import type { Job } from "../../parallel/job.js";
import { type GuidedExpert, expertFields } from "./guided-density.js";

export interface GuidedShared {
  readonly dimension: number;
  readonly experts: readonly GuidedExpert[];
  /** σ², standardized. */
  readonly variance: number;
}

export interface GuidedTask {
  readonly expert: number;
  /** count×N: noisy patches, and the same of the first estimate; standardized, in their pose. */
  readonly noisy: Float32Array;
  readonly guide: Float32Array;
  /** count×N: derivative of a loss by the estimates; null: the estimates are wanted. */
  readonly errors: Float32Array | null;
}

export interface GuidedResult {
  /** count×N */
  readonly estimates: FloatArray | null;
  /** Derivative of the loss by the parameters, in the order of {@link expertFields}. */
  readonly gradient: readonly FloatArray[] | null;
}

export const guidedJob: Job<GuidedShared, GuidedTask, GuidedResult> = {
  name: "guided",
  open(kernels) {
    let variance = 0;
    let passes: readonly ExpertPasses[] = [];
    return {
      share(shared) {
        variance = shared.variance;
        passes = shared.experts.map((e) => new ExpertPasses(kernels, e, shared.dimension));
      },
      perform({ expert, noisy, guide, errors }) {
        const all = passes[expert];
        const result: GuidedResult = errors
          ? { estimates: null, gradient: all.gradient(noisy, guide, errors, variance) }
          : { estimates: all.estimates(noisy, guide, variance), gradient: null };
        const arrays = result.gradient ?? [result.estimates as FloatArray];
        return { result, transfer: arrays.map(({ buffer }) => buffer as ArrayBuffer) };
      },
    };
  },
};

interface Activity {
  readonly count: number;
  /** |v| and |v|^α */
  readonly size: FloatArray;
  readonly pooled: FloatArray;
  readonly v: FloatArray;
  readonly D: FloatArray;
  /** u / D */
  readonly ratio: FloatArray;
}

class ExpertPasses {
  private readonly H: FloatArray;
  private readonly gamma: FloatArray;
  private readonly transposed: Readonly<Record<"H" | "G" | "gamma", FloatArray>>;

  constructor(
    private readonly kernels: Kernels,
    private readonly expert: GuidedExpert,
    private readonly n: number,
  ) {
    const { H, G, gamma } = expert;
    this.H = this.inPrecision(H);
    this.gamma = this.inPrecision(gamma);
    const turn = (matrix: Float32Array): FloatArray =>
      this.inPrecision(matrix.map((_, k) => matrix[(k % n) * n + Math.floor(k / n)]));
    this.transposed = { H: turn(H), G: turn(G), gamma: turn(gamma) };
  }

  /** x̃ − σ² Hᵀ (u / D) */
  estimates(noisy: Float32Array, guide: Float32Array, variance: number): FloatArray {
    const { count, ratio } = this.activity(noisy, guide);
    const estimates = this.product(ratio, this.H, count);
    for (let k = 0; k < noisy.length; k++) estimates[k] = noisy[k] - variance * estimates[k];
    return estimates;
  }

  /**
   * For a loss L with ∂L/∂x̂ = e, and w = H e:
   *
   *   ∂L/∂u = −σ² w / D,   ∂L/∂D = σ² w u / D²,   ∂L/∂v_j = α_j |v_j|^α_j / v_j Σ_i γ_ij ∂L/∂D_i
   */
  gradient(
    noisy: Float32Array,
    guide: Float32Array,
    errors: Float32Array,
    variance: number,
  ): FloatArray[] {
    const { kernels, n, expert } = this;
    const { count, size, pooled, v, D, ratio } = this.activity(noisy, guide);
    const w = this.product(this.inPrecision(errors), this.transposed.H, count);
    const [byU, byD] = [kernels.floats(w.length), kernels.floats(w.length)];
    for (let k = 0; k < w.length; k++) {
      byU[k] = (-variance * w[k]) / D[k];
      byD[k] = -byU[k] * ratio[k];
      // From here on −σ² u / D, what the filters of the estimate are weighed by.
      ratio[k] *= -variance;
    }
    const byPooled = this.product(byD, this.gamma, count);
    const logSize = kernels.floats(w.length);
    kernels.log(size, logSize);
    const byV = kernels.floats(w.length);
    const alpha = kernels.floats(n);
    const beta = kernels.floats(n);
    for (let k = 0; k < w.length;) {
      for (let j = 0; j < n; j++, k++) {
        beta[j] += byD[k];
        if (v[k] === 0) continue;
        const slope = byPooled[k] * pooled[k];
        alpha[j] += slope * logSize[k];
        byV[k] = (expert.alpha[j] * slope) / v[k];
      }
    }
    const H = this.outer(ratio, this.inPrecision(errors), count);
    const moreH = this.outer(byU, this.inPrecision(noisy), count);
    for (let k = 0; k < H.length; k++) H[k] += moreH[k];
    const G = this.outer(byV, this.inPrecision(guide), count);
    const gradient = { H, G, gamma: this.outer(byD, pooled, count), alpha, beta };
    return expertFields.map((field) => gradient[field]);
  }

  private activity(noisy: Float32Array, guide: Float32Array): Activity {
    const { kernels, n, expert } = this;
    const count = noisy.length / n;
    const u = this.product(this.inPrecision(noisy), this.transposed.H, count);
    const v = this.product(this.inPrecision(guide), this.transposed.G, count);
    const size = v.map(Math.abs);
    const exponents = kernels.floats(v.length);
    for (let k = 0; k < count; k++) exponents.set(expert.alpha, k * n);
    const pooled = kernels.floats(v.length);
    kernels.pow(size, exponents, pooled);
    const D = this.product(pooled, this.transposed.gamma, count);
    for (let k = 0; k < u.length;) {
      for (let j = 0; j < n; j++, k++) {
        D[k] += expert.beta[j];
        u[k] /= D[k];
      }
    }
    return { count, size, pooled, v, D, ratio: u };
  }

  /** Rows of samples times a matrix. */
  private product(rows: FloatArray, matrix: FloatArray, count: number): FloatArray {
    const { kernels, n } = this;
    const out = kernels.floats(count * n);
    kernels.multiply(rows, matrix, out, { rows: count, inner: n, columns: n });
    return out;
  }

  /** Σ over samples of a bᵀ */
  private outer(a: FloatArray, b: FloatArray, count: number): FloatArray {
    const { kernels, n } = this;
    const out = kernels.floats(n * n);
    kernels.accumulateProduct(a, b, out, { rows: n, inner: count, columns: n });
    return out;
  }

  private inPrecision(values: Float32Array): FloatArray {
    const rounded = this.kernels.floats(values.length);
    if (rounded instanceof Float32Array) return values;
    rounded.set(values);
    return rounded;
  }
}
