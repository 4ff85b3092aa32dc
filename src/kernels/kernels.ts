/**
 * What a computing backend offers to the rest of the library. Two implementations:
 *
 *   reference/  plain Float64 TypeScript in the order of the paper's formulas: the specification;
 *   wasm/       WebAssembly SIMD on Float32, plain or (on request) relaxed.
 *
 * Arrays are row-major and belong to the caller, sizes are explicit. Nothing is validated here:
 * that happens at the library's border (transforms/gdn.ts).
 */
export type FloatArray = Float32Array | Float64Array;

export type KernelName = "reference" | "simd" | "relaxed-simd";

/** How α and γ are stored: which entries are free to differ decides how fast the passes are. */
export type GdnForm =
  /** α_ij and γ_ij: two N×N matrices. */
  | "general"
  /** α_ij = α_j: N exponents, N×N weights (paper §4.2). */
  | "column"
  /** γ diagonal: N exponents, N weights, nothing to invert (ICA-MG). */
  | "diagonal"
  /**
   * γ = diag(g) + U Vᵀ with N×R matrices U and V: N exponents, (2R + 1)×N weights (low-rank.ts),
   * R×R to invert.
   */
  | "low-rank";

/**
 * Parameters of one layer, paper eq. (5):  z = H x,  y_i = z_i / (β_i + Σ_j γ_ij |z_j|^α_ij)^ε_i
 *
 *   symbol  field    values               constraint
 *   H       H        N×N, null: identity  non-singular
 *   α       alpha    N×N or N by form     ≥ 1
 *   β       beta     N                    > 0
 *   γ       gamma    by form              ≥ 0, row i pools for output i
 *   ε       epsilon  N                    0 ≤ ε_i ≤ 1/α_ii
 */
export interface GdnParameters {
  readonly form: GdnForm;
  readonly dimension: number;
  /** R of the form "low-rank"; no other has one. */
  readonly rank?: number;
  readonly H: FloatArray | null;
  readonly alpha: FloatArray;
  readonly beta: FloatArray;
  readonly gamma: FloatArray;
  readonly epsilon: FloatArray;
}

/** One value for every value of the parameters: a gradient, or a sum of gradients. */
export interface GdnGradient {
  readonly H: FloatArray | null;
  readonly alpha: FloatArray;
  readonly beta: FloatArray;
  readonly gamma: FloatArray;
  readonly epsilon: FloatArray;
}

/** What a pass reserves memory for. */
export interface GdnShape {
  readonly form: GdnForm;
  readonly dimension: number;
  /** R of the form "low-rank". */
  readonly rank?: number;
  /** Whether the parameters will have an H. */
  readonly linear: boolean;
  /**
   * Samples of one leaf of the reduction tree: gradients are summed leaf by leaf
   * (reduction-tree.ts).
   */
  readonly leafSize: number;
  /** The largest number of leaves handed over in one call. */
  readonly maximumLeaves: number;
}

/** Per-sample results of a pass. */
export interface SampleResults {
  /** count×N */
  readonly y: FloatArray | null;
  /** log |det ∂y/∂z|, without log |det H|; NaN where a pivot was not positive. */
  readonly logDeterminant: Float64Array;
  /** ½‖y‖² */
  readonly energy: Float64Array;
  /**
   * Index of the first non-positive pivot of I − M, −1 where there was none; in the form "low-rank"
   * as low-rank.ts says.
   */
  readonly failedPivot: Int32Array;
}

export interface GradientResults extends SampleResults {
  /** count×N: ∂L/∂x; null where it is not wanted. */
  readonly xGradient: FloatArray | null;
  /**
   * Gradient sums over the samples, overwritten; −H⁻ᵀ is not in them. Null where they are not
   * wanted.
   */
  readonly sums: GdnGradient | null;
}

/**
 * Gradients of the form "column" without inverses (kernels/gdn-column-probes.ts): unbiased
 * estimates from one vector of random signs for each sample.
 */
export interface Probes {
  /** Unsigned 32 bits; with the number of a leaf it determines the signs of that leaf. */
  readonly seed: number;
  /** Number of the first leaf of this call within the whole batch. */
  readonly firstLeaf: number;
  /** Results, count each: terms of the series (0: computed exactly), and ‖last term‖ / ‖signs‖. */
  readonly terms: Int32Array;
  readonly residual: Float64Array;
}

/**
 * How z is found from y (paper §3.2). Both iterate on log|z|, so that no component changes its
 * sign:
 *
 *   fixed-point  z_i ← D_i(z)^ε_i y_i, the paper's iteration;
 *   newton       Newton's method, with the fixed point as its safeguard: far fewer iterations.
 */
export type InversionMethod = "newton" | "fixed-point";

export interface InversionSettings {
  readonly method: InversionMethod;
  /** Largest |log(g(z)_i / y_i)| at which a sample counts as converged. */
  readonly tolerance: number;
  readonly maximumIterations: number;
}

/** Per-sample results of an inversion. */
export interface InversionResults {
  /** count×N; where the iteration did not converge, its last finite iterate. */
  readonly z: FloatArray;
  /** 1 or 0 */
  readonly converged: Uint8Array;
  readonly iterations: Int32Array;
  /**
   * max_i |log(g(z)_i / y_i)| over the components with y_i ≠ 0, at the returned z (before its
   * rounding).
   */
  readonly residual: Float64Array;
}

/** Passes over batches with one layer's parameters; in Float32 kernels |z| ≤ 1e-37 counts as 0. */
export interface GdnKernel {
  load(parameters: GdnParameters): void;
  /** y and log |det ∂y/∂z| of count samples x (count×N). */
  gaussianize(x: FloatArray, count: number, results: SampleResults): void;
  /**
   * Gradients of L = Σ over samples of (a loss of y) − log |det ∂y/∂z|, where `upstream` (count×N)
   * is the derivative of the loss by y. Without it the loss is ½‖y‖², and L the negative
   * log-probability up to constants. A sample with a failed pivot adds nothing.
   *
   * With `probes` (form "column" only) gradients and log-determinants are estimates.
   */
  backpropagate(
    x: FloatArray,
    upstream: FloatArray | null,
    count: number,
    results: GradientResults,
    probes?: Probes,
  ): void;
  /**
   * z with g(z) = y for count samples y (count×N); H has no part in it. A y that no z is mapped to
   * (there are some where α_ii ε_i = 1) ends unconverged, as does one whose z or D is beyond the
   * range of the arithmetic.
   */
  synthesize(
    y: FloatArray,
    count: number,
    settings: InversionSettings,
    results: InversionResults,
  ): void;
}

export interface Kernels {
  readonly name: KernelName;
  /** The residual that an inversion can reach in this precision. */
  readonly tolerance: number;
  /** Arrays in the precision of this backend. */
  floats(length: number): FloatArray;
  /** out = e^x; the arrays of this and the next two have one length. */
  exp(x: FloatArray, out: FloatArray): void;
  /** out = log x: −∞ at 0, NaN below. */
  log(x: FloatArray, out: FloatArray): void;
  /** out = base^exponent for base ≥ 0, where −0 counts as 0. */
  pow(base: FloatArray, exponent: FloatArray, out: FloatArray): void;
  /** out = A·B, with A rows×inner and B inner×columns. */
  multiply(a: FloatArray, b: FloatArray, out: FloatArray, sizes: ProductSizes): void;
  /**
   * out += Aᵀ·B, with A inner×rows and B inner×columns: the accumulation of gradients over samples.
   */
  accumulateProduct(a: FloatArray, b: FloatArray, out: FloatArray, sizes: ProductSizes): void;
  /**
   * For each of `count` n×n matrices M: (I − M)⁻¹ and log det(I − M) by elimination without
   * pivoting. Where a pivot is not positive, its index is in failedPivot and the results are NaN.
   */
  invertIdentityMinus(
    m: FloatArray,
    n: number,
    count: number,
    inverse: FloatArray,
    logDeterminant: Float64Array,
    failedPivot: Int32Array,
  ): void;
  /** The inverse of any n×n matrix, with pivoting; returns log |det|, NaN where it is singular. */
  invert(matrix: FloatArray, n: number, inverse: FloatArray): number;
  gdn(shape: GdnShape): GdnKernel;
}

export interface ProductSizes {
  readonly rows: number;
  readonly inner: number;
  readonly columns: number;
}

/** Lengths of a layer's parameter arrays; `rank` is that of the form "low-rank". */
export function gdnLengths(form: GdnForm, n: number, rank = 0): Record<keyof GdnGradient, number> {
  const ofGamma = { general: n * n, column: n * n, diagonal: n, "low-rank": (2 * rank + 1) * n };
  return {
    H: n * n,
    alpha: form === "general" ? n * n : n,
    beta: n,
    gamma: ofGamma[form],
    epsilon: n,
  };
}
