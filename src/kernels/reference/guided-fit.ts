import type { FloatArray } from "../float-array.js";
import type { GuidedFitKernel, GuidedFitShape } from "../patch-kernels.js";

/** Views of the parameters of a class, or of their derivatives. */
function viewsOf(values: FloatArray, n: number, k: number) {
  let at = 0;
  const next = (length: number): FloatArray => values.subarray(at, (at += length));
  return {
    H: next(n * n),
    M: next(n * k),
    G: next(n * k),
    gamma: next(n * n),
    alpha: next(n),
    beta: next(n),
  };
}

/** Values of one patch that its gradient needs. */
interface PatchActivity {
  readonly expert: number;
  readonly x: FloatArray;
  readonly guide: FloatArray;
  readonly v: Float64Array;
  readonly pooled: Float64Array;
  readonly D: Float64Array;
  /** u / D */
  readonly ratio: Float64Array;
}

/** The formulas of src/denoising/guided/guided-density.ts, patch by patch. */
export function referenceGuidedFit({ pixels: n, cells: k }: GuidedFitShape): GuidedFitKernel {
  let experts: readonly ReturnType<typeof viewsOf>[] = [];
  let sigmaSquared = 0;
  let patches: readonly PatchActivity[] = [];

  const activityOf = (expert: number, x: FloatArray, guide: FloatArray): PatchActivity => {
    const { H, M, G, gamma, alpha, beta } = experts[expert];
    const v = times(G, guide, n);
    const pooled = v.map((value, j) => Math.abs(value) ** alpha[j]);
    const D = times(gamma, pooled, n).map((value, i) => value + beta[i]);
    const mean = times(M, guide, n);
    const ratio = times(H, x, n).map((u, i) => (u - mean[i]) / D[i]);
    return { expert, x, guide, v, pooled, D, ratio };
  };

  const addGradient = (
    { expert, x, guide, v, pooled, D, ratio }: PatchActivity,
    error: FloatArray,
    sums: ReturnType<typeof viewsOf>,
  ): void => {
    const { H, gamma, alpha } = experts[expert];
    const w = times(H, error, n);
    const byU = w.map((value, i) => (-sigmaSquared * value) / D[i]);
    const byD = byU.map((value, i) => -value * ratio[i]);
    const byV = new Float64Array(n);
    for (let j = 0; j < n; j++) {
      sums.beta[j] += byD[j];
      if (v[j] === 0) continue;
      let slope = 0;
      for (let i = 0; i < n; i++) slope += gamma[i * n + j] * byD[i];
      slope *= pooled[j];
      sums.alpha[j] += slope * Math.log(Math.abs(v[j]));
      byV[j] = (alpha[j] * slope) / v[j];
    }
    addOuter(sums.H, ratio, error, -sigmaSquared);
    addOuter(sums.H, byU, x, 1);
    addOuter(sums.M, byU, guide, -1);
    addOuter(sums.G, byV, guide, 1);
    addOuter(sums.gamma, byD, pooled, 1);
  };

  return {
    load(classes, variance) {
      experts = classes.map((values) => viewsOf(values, n, k));
      sigmaSquared = variance;
    },
    estimate(counts, noisy, guide, estimates) {
      const all: PatchActivity[] = [];
      for (let expert = 0; expert < counts.length; expert++) {
        for (let c = 0; c < counts[expert]; c++) {
          const p = all.length;
          const x = noisy.subarray(p * n, (p + 1) * n);
          const own = activityOf(expert, x, guide.subarray(p * k, (p + 1) * k));
          const { H } = experts[expert];
          for (let j = 0; j < n; j++) {
            let pulled = 0;
            for (let i = 0; i < n; i++) pulled += H[i * n + j] * own.ratio[i];
            estimates[p * n + j] = x[j] - sigmaSquared * pulled;
          }
          all.push(own);
        }
      }
      patches = all;
    },
    gradient(errors, gradients) {
      for (const gradient of gradients) gradient?.fill(0, 0, 2 * n * (n + k + 1));
      patches.forEach((patch, p) => {
        const gradient = gradients[patch.expert];
        const error = errors.subarray(p * n, (p + 1) * n);
        if (gradient) addGradient(patch, error, viewsOf(gradient, n, k));
      });
    },
  };
}

/** Returns A·x for a matrix with `rows` rows. */
function times(matrix: FloatArray, x: FloatArray, rows: number): Float64Array {
  const columns = matrix.length / rows;
  return Float64Array.from({ length: rows }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < columns; j++) sum += matrix[i * columns + j] * x[j];
    return sum;
  });
}

/** Adds factor·a bᵀ. */
function addOuter(sums: FloatArray, a: FloatArray, b: FloatArray, factor: number): void {
  const columns = sums.length / a.length;
  for (let i = 0; i < a.length; i++) {
    for (let j = 0; j < columns; j++) sums[i * columns + j] += factor * a[i] * b[j];
  }
}
