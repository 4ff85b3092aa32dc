/**
 * Generalized divisive normalization, paper eq. (5), and the gradients that follow from it:
 *
 *   z = H x,   D_i = β_i + Σ_j γ_ij |z_j|^α_ij,   y_i = z_i / D_i^ε_i
 *   M_ij = ε_i α_ij γ_ij |z_j|^α_ij / D_i
 *   log |det ∂y/∂z| = −Σ_i ε_i log D_i + log det(I − M)
 *
 * With W = (I − M)⁻ᵀ, r_i = Σ_j W_ij M_ij, g = ∂loss/∂y and L = loss − log |det ∂y/∂z|:
 *
 *   ∂L/∂D_i  = (ε_i (1 − g_i y_i) − r_i) / D_i  = ∂L/∂β_i
 *   ∂L/∂ε_i  = (1 − g_i y_i) log D_i + r_i / ε_i
 *   ∂L/∂γ_ij = ∂L/∂D_i u_ij + W_ij ε_i α_ij u_ij / D_i
 *   ∂L/∂α_ij = (∂L/∂D_i γ_ij u_ij + W_ij M_ij) log|z_j| + W_ij M_ij / α_ij
 *   ∂L/∂z_j  = g_j D_j^−ε_j + (1/z_j) Σ_i α_ij (∂L/∂D_i γ_ij u_ij + W_ij M_ij)
 *   ∂L/∂H    = ∂L/∂z xᵀ  (the caller adds −H⁻ᵀ),   ∂L/∂x = Hᵀ ∂L/∂z
 *
 * This is the specification: all arrays are Float64, loops follow the formulas, and nothing is
 * optimised.
 */
import type {
  FloatArray,
  GdnForm,
  GdnGradient,
  GdnKernel,
  GdnParameters,
  GdnShape,
  Probes,
  SampleResults,
} from "../kernels.js";
import { seedOfPart, signsOf } from "../probes.js";
import { type NewtonSystem, synthesizeSample } from "./gdn-inverse.js";
import {
  copyLowRank,
  differentiateLowRank,
  evaluateLowRank,
  lowRankSystem,
} from "./gdn-low-rank.js";
import { differentiateWithSigns } from "./gdn-probes.js";
import { type Elimination, eliminate, invert, multiplied, pullBack } from "./matrix.js";

export function referenceGdn(shape: GdnShape): GdnKernel {
  return shape.form === "low-rank" ? kernelOf(lowRankPooling, shape) : kernelOf(fullPooling, shape);
}

/** Functions that depend on how γ is stored. */
interface Pooling<Parameters, Evaluated extends StoredSample> {
  /** Copies the parameters as they are now. */
  readonly load: (given: GdnParameters) => Parameters;
  /** `ownSlopesOnly` counts only the diagonal of I − M, in the form "column". */
  readonly evaluate: (parameters: Parameters, x: FloatArray, ownSlopesOnly?: boolean) => Evaluated;
  /** Adds the gradients of one sample to the sums and returns ∂L/∂x; `g` is ∂loss/∂y. */
  readonly differentiate: (
    parameters: Parameters,
    sample: Evaluated,
    g: FloatArray,
    sums: GdnGradient | null,
  ) => Float64Array;
  /** The same from random signs, without an inverse; for α_ij = α_j only. */
  readonly differentiateWithSigns?: (
    parameters: Parameters,
    sample: Evaluated,
    g: FloatArray,
    signs: Float64Array,
    sums: GdnGradient | null,
  ) => Float64Array;
  readonly system: (parameters: Parameters) => NewtonSystem;
}

interface StoredSample {
  readonly y: Float64Array;
  readonly elimination: Elimination;
  readonly logDeterminant: number;
}

const lowRankPooling: Pooling<
  ReturnType<typeof copyLowRank>,
  ReturnType<typeof evaluateLowRank>
> = {
  load: copyLowRank,
  evaluate: evaluateLowRank,
  differentiate: differentiateLowRank,
  system: lowRankSystem,
};

const fullPooling: Pooling<FullParameters, ReturnType<typeof evaluate>> = {
  load: writeOut,
  evaluate,
  differentiate,
  differentiateWithSigns,
  system: fullSystem,
};

function kernelOf<Parameters, Evaluated extends StoredSample>(
  pooling: Pooling<Parameters, Evaluated>,
  { dimension: n, leafSize }: GdnShape,
): GdnKernel {
  let parameters: Parameters | undefined;
  const loaded = (): Parameters => {
    if (!parameters) throw new Error("Call load() before a pass.");
    return parameters;
  };
  const signsAt = (probes: Probes, s: number): Float64Array => {
    probes.products[s] = n;
    probes.residual[s] = 0;
    const leaf = probes.firstLeaf + Math.floor(s / leafSize);
    return signsOf(seedOfPart(probes.seed, leaf), n, s % leafSize);
  };
  const sampleAt = (x: FloatArray, s: number): FloatArray => x.subarray(s * n, (s + 1) * n);
  return {
    load(given) {
      parameters = pooling.load(given);
    },
    gaussianize(x, count, results) {
      for (let s = 0; s < count; s++) {
        store(results, s, pooling.evaluate(loaded(), sampleAt(x, s)));
      }
    },
    approximate(x, count, results) {
      for (let s = 0; s < count; s++) {
        store(results, s, pooling.evaluate(loaded(), sampleAt(x, s), true));
      }
    },
    backpropagate(x, upstream, count, { sums, xGradient, ...results }, probes) {
      for (const sum of Object.values<FloatArray | null>(sums ?? {})) sum?.fill(0);
      for (let s = 0; s < count; s++) {
        const sample = pooling.evaluate(loaded(), sampleAt(x, s));
        store(results, s, sample);
        xGradient?.fill(0, s * n, (s + 1) * n);
        if (sample.elimination.failedPivot >= 0) continue;
        const g = upstream ? sampleAt(upstream, s) : sample.y;
        const gradient =
          probes && pooling.differentiateWithSigns
            ? pooling.differentiateWithSigns(loaded(), sample, g, signsAt(probes, s), sums)
            : pooling.differentiate(loaded(), sample, g, sums);
        xGradient?.set(gradient, s * n);
      }
    },
    synthesize(y, count, settings, results) {
      const system = pooling.system(loaded());
      for (let s = 0; s < count; s++) {
        synthesizeSample(system, sampleAt(y, s), settings, results, s);
      }
    },
  };
}

/** Parameters with α and γ as N×N matrices, whatever the form. */
interface FullParameters {
  readonly form: GdnForm;
  readonly n: number;
  readonly H: FloatArray | null;
  readonly alpha: Float64Array;
  readonly beta: FloatArray;
  readonly gamma: Float64Array;
  readonly epsilon: FloatArray;
}

function writeOut(parameters: GdnParameters): FullParameters {
  const { form, dimension: n, H, alpha, beta, gamma, epsilon } = parameters;
  const full = {
    form,
    n,
    H: H?.slice() ?? null,
    beta: beta.slice(),
    epsilon: epsilon.slice(),
    alpha: new Float64Array(n * n),
    gamma: new Float64Array(n * n),
  };
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const ij = i * n + j;
      full.alpha[ij] = alpha[form === "general" ? ij : j];
      if (form !== "diagonal") full.gamma[ij] = gamma[ij];
      else if (i === j) full.gamma[ij] = gamma[i];
    }
  }
  return full;
}

function evaluate(
  { form, n, H, alpha, beta, gamma, epsilon }: FullParameters,
  input: FloatArray,
  ownSlopesOnly = false,
) {
  const x = Float64Array.from(input);
  const z = H ? multiplied(H, x) : x;
  /** u_ij = |z_j|^α_ij */
  const u = new Float64Array(n * n);
  const D = new Float64Array(n);
  const y = new Float64Array(n);
  const M = new Float64Array(n * n);
  const identityMinusM = new Float64Array(n * n);
  let logDeterminant = 0;
  for (let i = 0; i < n; i++) {
    D[i] = beta[i];
    for (let j = 0; j < n; j++) {
      u[i * n + j] = Math.abs(z[j]) ** alpha[i * n + j];
      D[i] += gamma[i * n + j] * u[i * n + j];
    }
    y[i] = z[i] / D[i] ** epsilon[i];
    logDeterminant -= epsilon[i] * Math.log(D[i]);
    for (let j = 0; j < n; j++) {
      M[i * n + j] = (epsilon[i] * alpha[i * n + j] * gamma[i * n + j] * u[i * n + j]) / D[i];
      identityMinusM[i * n + j] = (i === j ? 1 : 0) - M[i * n + j];
    }
  }
  if (ownSlopesOnly && form === "column") {
    for (let k = 0; k < n * n; k++) if (k % (n + 1) !== 0) identityMinusM[k] = 0;
  }
  const elimination = eliminate(identityMinusM, n);
  logDeterminant += elimination.logDeterminant;
  return { x, z, u, D, y, M, elimination, logDeterminant };
}

function differentiate(
  { form, n, H, alpha, gamma, epsilon }: FullParameters,
  { x, z, u, D, y, M, elimination }: ReturnType<typeof evaluate>,
  g: FloatArray,
  sums: GdnGradient | null,
): Float64Array {
  /** W = (I − M)⁻ᵀ */
  const W = (i: number, j: number): number => elimination.inverse[j * n + i];
  const zGradient = new Float64Array(n);
  for (let j = 0; j < n; j++) zGradient[j] = g[j] / D[j] ** epsilon[j];
  for (let i = 0; i < n; i++) {
    // r_i / ε_i, written without the division so that it holds at ε_i = 0.
    let rOverEpsilon = 0;
    for (let j = 0; j < n; j++) {
      const ij = i * n + j;
      rOverEpsilon += (W(i, j) * alpha[ij] * gamma[ij] * u[ij]) / D[i];
    }
    const r = epsilon[i] * rOverEpsilon;
    const poolGradient = (epsilon[i] * (1 - g[i] * y[i]) - r) / D[i];
    if (sums) {
      sums.beta[i] += poolGradient;
      sums.epsilon[i] += (1 - g[i] * y[i]) * Math.log(D[i]) + rOverEpsilon;
    }
    for (let j = 0; j < n; j++) {
      const ij = i * n + j;
      if (sums && (form !== "diagonal" || i === j)) {
        sums.gamma[form === "diagonal" ? i : ij] +=
          poolGradient * u[ij] + (W(i, j) * epsilon[i] * alpha[ij] * u[ij]) / D[i];
      }
      // At z_j = 0 the terms with log|z_j| and 1/z_j vanish (their limit, or its mean from both
      // sides).
      if (z[j] === 0) continue;
      const both = poolGradient * gamma[ij] * u[ij] + W(i, j) * M[ij];
      if (sums) {
        // A tied α_j collects the gradients of all its entries.
        sums.alpha[form === "general" ? ij : j] +=
          both * Math.log(Math.abs(z[j])) + (W(i, j) * M[ij]) / alpha[ij];
      }
      zGradient[j] += (alpha[ij] * both) / z[j];
    }
  }
  return pullBack(H, x, zGradient, sums?.H);
}

function fullSystem({ n, alpha, beta, gamma, epsilon }: FullParameters): NewtonSystem {
  return {
    n,
    beta,
    epsilon,
    ownAlpha: (i) => alpha[i * n + i],
    ownGamma: (i) => gamma[i * n + i],
    pools: (t) =>
      t.map((_, i) => {
        let D = beta[i];
        for (let j = 0; j < n; j++) D += gamma[i * n + j] * Math.exp(alpha[i * n + j] * t[j]);
        return D;
      }),
    solve(t, D, F, exponents) {
      const inverse = new Float64Array(n * n);
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < n; j++) {
          const ij = i * n + j;
          const M = (exponents[i] * alpha[ij] * gamma[ij] * Math.exp(alpha[ij] * t[j])) / D[i];
          inverse[ij] = (i === j ? 1 : 0) - M;
        }
      }
      if (Number.isNaN(invert(inverse, n, inverse))) return undefined;
      return F.map((_, i) => F.reduce((sum, F_j, j) => sum + inverse[i * n + j] * F_j, 0));
    },
  };
}

function store(results: SampleResults, s: number, sample: StoredSample): void {
  results.y?.set(sample.y, s * sample.y.length);
  results.logDeterminant[s] = sample.logDeterminant;
  let energy = 0;
  for (const value of sample.y) energy += value * value;
  results.energy[s] = energy / 2;
  results.failedPivot[s] = sample.elimination.failedPivot;
}
