/**
 * Interface of a computing backend. There are two implementations:
 *
 *   reference/  plain Float64 TypeScript in the order of the paper's formulas: the specification;
 *   wasm/       WebAssembly SIMD on Float32, plain or (on request) relaxed.
 *
 * Arrays are row-major and belong to the caller; sizes are explicit. Kernels do not check their
 * arguments: transforms/gdn.ts does.
 */
import type { FloatArray } from "./float-array.js";
import type {
  GradientSums,
  GuidedFitKernel,
  GuidedFitShape,
  GuidedKernel,
  GuidedShape,
  PatchKernel,
  PixelArray,
  SimilarRegion,
  SimilarSettings,
  SimilarSums,
} from "./patch-kernels.js";

export type { FloatArray } from "./float-array.js";

export type KernelName = "reference" | "simd" | "relaxed-simd";

/** Storage of α and γ. The fewer entries may differ, the faster the passes. */
export type GdnForm =
  /** α_ij and γ_ij: two N×N matrices. */
  | "general"
  /** α_ij = α_j: N exponents, N×N weights (paper §4.2). */
  | "column"
  /** γ diagonal: N exponents, N weights, no matrix to invert (ICA-MG). */
  | "diagonal"
  /**
   * γ = diag(g) + U Vᵀ with N×R matrices U and V: N exponents, (2R + 1)×N weights (low-rank.ts), an
   * R×R matrix to invert.
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
  /** R of the form "low-rank"; absent in the other forms. */
  readonly rank?: number;
  readonly H: FloatArray | null;
  readonly alpha: FloatArray;
  readonly beta: FloatArray;
  readonly gamma: FloatArray;
  readonly epsilon: FloatArray;
}

/** A gradient, or a sum of gradients: one value for each value of the parameters. */
export type GdnGradient = Pick<GdnParameters, "H" | "alpha" | "beta" | "gamma" | "epsilon">;

/** Partition of a batch into leaves of the reduction tree (reduction-tree.ts). */
export interface LeafShape {
  /** Samples of one leaf: gradients are summed leaf by leaf. */
  readonly leafSize: number;
  /** Largest number of leaves in one call. */
  readonly maximumLeaves: number;
}

/** Sizes for which a pass reserves memory. */
export interface GdnShape extends Pick<GdnParameters, "form" | "dimension" | "rank">, LeafShape {
  /** Whether the parameters have an H. */
  readonly linear: boolean;
  /** Whether no gradient by α is needed; its sums may then have any values. Default false. */
  readonly fixedAlpha?: boolean;
}

/** Per-sample results of a pass. */
export interface SampleResults {
  /** count×N */
  readonly y: FloatArray | null;
  /** log |det ∂y/∂z|, without log |det H|; NaN after a failed pivot. */
  readonly logDeterminant: Float64Array;
  /** ½‖y‖² */
  readonly energy: Float64Array;
  /** Index of the first non-positive pivot of I − M, or −1; for "low-rank" see low-rank.ts. */
  readonly failedPivot: Int32Array;
}

/** Results of a backward pass; `null` skips a result. */
export interface GradientResults<Sums = GdnGradient> extends SampleResults {
  /** count×N: ∂L/∂x */
  readonly xGradient: FloatArray | null;
  /**
   * Gradient sums over the samples, overwritten; without the term −H⁻ᵀ. If null, ∂L/∂x of the form
   * "column" takes 22 to 31 % less time and may differ in its last digits.
   */
  readonly sums: Sums | null;
}

/**
 * Asks for gradients of the form "column" without inverses (kernels/gdn-column-probes.ts). Each
 * sample has one vector v of random signs; its gradient is unbiased over v.
 */
export interface Probes {
  /** 32 unsigned bits that determine, with the number of a leaf, the signs of its samples. */
  readonly seed: number;
  /** Number of the first leaf of this call in the whole batch. */
  readonly firstLeaf: number;
  /** Root mean square of the residuals of a leaf, relative to ‖v‖, at which its iteration ends. */
  readonly tolerance: number;
  /** Result, one value per sample: products with γ. An exact gradient counts as N products. */
  readonly products: Int32Array;
  /** Result, one value per sample: residual relative to ‖v‖; 0 for an exact gradient. */
  readonly residual: Float64Array;
}

/**
 * Algorithm that finds z from y (paper §3.2). Both iterate on log|z|, so no component changes sign:
 *
 *   fixed-point  z_i ← D_i(z)^ε_i y_i, the paper's iteration;
 *   newton       Newton's method with the fixed point as fallback: far fewer iterations.
 */
export type InversionMethod = "newton" | "fixed-point";

export interface InversionSettings {
  readonly method: InversionMethod;
  /** A sample has converged when no |log(g(z)_i / y_i)| exceeds this. */
  readonly tolerance: number;
  readonly maximumIterations: number;
}

/** Per-sample results of an inversion. */
export interface InversionResults {
  /** count×N; the last finite iterate of a sample that did not converge. */
  readonly z: FloatArray;
  /** 1 or 0 */
  readonly converged: Uint8Array;
  readonly iterations: Int32Array;
  /** max_i |log(g(z)_i / y_i)| over the components with y_i ≠ 0, before z is rounded. */
  readonly residual: Float64Array;
}

/** Passes of one layer over batches. Float32 kernels take |z| ≤ 1e-37 as 0. */
export interface GdnKernel {
  load(parameters: GdnParameters): void;
  /** Computes y and log |det ∂y/∂z| for `count` samples x (count×N). */
  gaussianize(x: FloatArray, count: number, results: SampleResults): void;
  /**
   * Computes the same y, but log det(I − M) ≈ Σ_i log(1 − M_ii) in the form "column": N² operations
   * per sample. The other forms give the exact value.
   */
  approximate(x: FloatArray, count: number, results: SampleResults): void;
  /**
   * Computes gradients of L = Σ over samples of (a loss of y) − log |det ∂y/∂z|, where `upstream`
   * (count×N) is the derivative of the loss by y. Without it the loss is ½‖y‖², and L the negative
   * log-probability up to constants. Samples with a failed pivot are skipped.
   *
   * With `probes` (form "column" only), gradients and log-determinants are unbiased estimates.
   */
  backpropagate(
    x: FloatArray,
    upstream: FloatArray | null,
    count: number,
    results: GradientResults,
    probes?: Probes,
  ): void;
  /**
   * Finds z with g(z) = y for `count` samples y (count×N); H is not inverted here. A sample does
   * not converge if its y is outside the range of g (possible where α_ii ε_i = 1), or if z or D
   * overflows.
   */
  synthesize(
    y: FloatArray,
    count: number,
    settings: InversionSettings,
    results: InversionResults,
  ): void;
}

/** Sizes of a network: layer k has `widths[k]` inputs and `widths[k + 1]` outputs. */
export interface NetworkShape {
  readonly widths: readonly number[];
  /** Samples of one leaf of the reduction tree. */
  readonly leafSize: number;
}

/** Parameters of one layer, or sums of gradients by them. */
export interface NetworkLayer {
  /** inputs×outputs */
  readonly weights: FloatArray;
  /** One value per output. */
  readonly bias: FloatArray;
}

export interface NetworkGradientResults {
  /** count×inputs: ∂L/∂x; null skips it. */
  readonly xGradient: FloatArray | null;
  /** Sums over the samples for each layer, overwritten; null skips them. */
  readonly sums: readonly NetworkLayer[] | null;
}

/**
 * Network with the layers a_{k+1} = φ(a_k W_k + b_k) and φ(u) = (u + √(1 + u²)) / 2. The last layer
 * has no φ.
 */
export interface NetworkKernel {
  /** Copies the parameters of all layers. */
  load(layers: readonly NetworkLayer[]): void;
  /** Returns an array for the values of `count` samples that `backpropagate` needs. */
  activations(count: number): FloatArray;
  /** Computes the outputs of `count` samples x, and fills `activations` unless it is null. */
  forward(x: FloatArray, count: number, outputs: FloatArray, activations: FloatArray | null): void;
  /**
   * Computes gradients of a loss, given its derivatives by the outputs, and the activations of the
   * forward pass with the same parameters. Samples with a `failedPivot` of 0 or more must have
   * derivatives 0; they add nothing to the sums, even if their activations are infinite.
   */
  backpropagate(
    activations: FloatArray,
    outputGradient: FloatArray,
    failedPivot: Int32Array,
    results: NetworkGradientResults,
  ): void;
}

export interface Kernels {
  readonly name: KernelName;
  /** Smallest residual that an inversion can reach in this precision. */
  readonly tolerance: number;
  /** Returns zeros in the precision of this backend. */
  floats(length: number): FloatArray;
  /** out = e^x; in this and the next two, all arrays have the same length. */
  exp(x: FloatArray, out: FloatArray): void;
  /** out = log x: −∞ at 0, NaN below. */
  log(x: FloatArray, out: FloatArray): void;
  /** out = base^exponent for base ≥ 0; a base of −0 counts as 0. */
  pow(base: FloatArray, exponent: FloatArray, out: FloatArray): void;
  /** out = A·B, with A rows×inner and B inner×columns. */
  multiply(a: FloatArray, b: FloatArray, out: FloatArray, sizes: ProductSizes): void;
  /** out += Aᵀ·B, with A inner×rows and B inner×columns: gradients summed over samples. */
  accumulateProduct(a: FloatArray, b: FloatArray, out: FloatArray, sizes: ProductSizes): void;
  /**
   * Computes (I − M)⁻¹ and log det(I − M) for each of `count` n×n matrices M, by elimination
   * without pivoting. If a pivot is not positive, failedPivot holds its index and the results are
   * NaN.
   */
  invertIdentityMinus(
    m: FloatArray,
    n: number,
    count: number,
    inverse: FloatArray,
    logDeterminant: Float64Array,
    failedPivot: Int32Array,
  ): void;
  /** Inverts any n×n matrix, with pivoting; returns log |det|, NaN for a singular matrix. */
  invert(matrix: FloatArray, n: number, inverse: FloatArray): number;
  /**
   * Estimates groups of similar patches. The group of a reference holds the `mostSimilar`
   * nearest patches of the guide in its window (itself first, then by distance, then by corner).
   * With the mean μ and the covariance C of their guides, it computes x̂ = μ + C (C + I)⁻¹ (y − μ)
   * for each noisy member y, where C includes `uncertainty`·I.
   */
  estimateSimilar(region: SimilarRegion, settings: SimilarSettings, sums: SimilarSums): void;
  guidedFit(shape: GuidedFitShape): GuidedFitKernel;
  /**
   * Computes sums of gradients, half the differences of both neighbours and 0 at the borders, over
   * the patches of an image. `weights` belong to the rows, and to the columns, of a patch. Values
   * of patches beyond the image are undefined.
   */
  sumGradients(image: PixelArray, weights: FloatArray, out: GradientSums): void;
  guided(shape: GuidedShape): GuidedKernel;
  /** Kernel for square patches with sides of `size` pixels. */
  patches(size: number): PatchKernel;
  gdn(shape: GdnShape): GdnKernel;
  network(shape: NetworkShape): NetworkKernel;
}

export interface ProductSizes {
  readonly rows: number;
  readonly inner: number;
  readonly columns: number;
}

/** Lengths of a layer's parameter arrays; `rank` is R of the form "low-rank". */
export function gdnLengths(form: GdnForm, n: number, rank = 0): Record<keyof GdnGradient, number> {
  const gammaLengths = {
    general: n * n,
    column: n * n,
    diagonal: n,
    "low-rank": (2 * rank + 1) * n,
  };
  return {
    H: n * n,
    alpha: form === "general" ? n * n : n,
    beta: n,
    gamma: gammaLengths[form],
    epsilon: n,
  };
}
