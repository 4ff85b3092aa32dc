/** Worker job for gradients of guided densities (guided-density.ts). */
import type { FloatArray, Kernels } from "../../kernels/kernels.js";
import type { Job } from "../../parallel/job.js";
import { type GuidedExpert, expertFields } from "./guided-density.js";

export interface GuidedShared {
  readonly dimension: number;
  readonly experts: readonly GuidedExpert[];
  /** σ², standardised. */
  readonly variance: number;
}

/** Consecutive patches of one class. */
export interface PatchGroup {
  readonly expert: number;
  readonly count: number;
}

export interface GuidedTask {
  readonly groups: readonly PatchGroup[];
  /** Noisy patches of all groups, standardised and in their pose, count×N for each group. */
  readonly noisy: Float32Array;
  /** The same patches of the first estimate. */
  readonly guide: Float32Array;
  /** Derivatives of a loss by the estimates. */
  readonly errors: Float32Array;
}

/** Derivatives of the loss by the parameters, for each group in the order of `expertFields`. */
export type GuidedResult = readonly (readonly FloatArray[])[];

export const guidedJob: Job<GuidedShared, GuidedTask, GuidedResult> = {
  name: "guided",
  open(kernels) {
    let shared: GuidedShared | undefined;
    let opened = new Map<number, ExpertPasses>();
    return {
      share(given) {
        shared = given;
        opened = new Map();
      },
      perform({ groups, noisy, guide, errors }) {
        if (!shared) throw new Error("parameters come before tasks");
        const { experts, dimension, variance } = shared;
        const gradients: FloatArray[][] = [];
        let first = 0;
        for (const { expert, count } of groups) {
          const end = first + count * dimension;
          const [x, guiding] = [noisy.subarray(first, end), guide.subarray(first, end)];
          // Opened on demand: many classes do not occur in a task.
          const passes =
            opened.get(expert) ?? new ExpertPasses(kernels, experts[expert], dimension);
          opened.set(expert, passes);
          gradients.push(passes.gradient(x, guiding, errors.subarray(first, end), variance));
          first = end;
        }
        const transfer = gradients.flat().map(({ buffer }) => buffer as ArrayBuffer);
        return { result: gradients, transfer };
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
  private readonly gamma: FloatArray;
  private readonly transposed: Readonly<Record<"H" | "G" | "gamma", FloatArray>>;

  constructor(
    private readonly kernels: Kernels,
    private readonly expert: GuidedExpert,
    private readonly n: number,
  ) {
    const { H, G, gamma } = expert;
    this.gamma = this.inPrecision(gamma);
    const turn = (matrix: Float32Array): FloatArray => {
      const turned = kernels.floats(n * n);
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < n; j++) turned[j * n + i] = matrix[i * n + j];
      }
      return turned;
    };
    this.transposed = { H: turn(H), G: turn(G), gamma: turn(gamma) };
  }

  /**
   * Returns the derivatives of a loss L. With its derivative e by the estimate, w = H e, and
   * s_j = |v_j|^α_j Σ_i γ_ij ∂L/∂D_i:
   *
   *   ∂L/∂u = −σ² w / D,   ∂L/∂D = σ² w u / D²,   ∂L/∂v_j = α_j s_j / v_j,
   *   ∂L/∂α_j = s_j log |v_j|
   *   ∂L/∂H = −σ² (u / D) eᵀ + ∂L/∂u x̃ᵀ,   ∂L/∂G = ∂L/∂v x̂ᵀ,   ∂L/∂γ_ij = ∂L/∂D_i |v_j|^α_j,
   *   ∂L/∂β = ∂L/∂D
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
      // From here on −σ² u / D, the weights of the filters in the estimate.
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

  /** Multiplies rows of samples by a matrix. */
  private product(rows: FloatArray, matrix: FloatArray, count: number): FloatArray {
    const { kernels, n } = this;
    const out = kernels.floats(count * n);
    kernels.multiply(rows, matrix, out, { rows: count, inner: n, columns: n });
    return out;
  }

  /** Returns Σ a bᵀ over samples. */
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
