/** Interfaces of the kernels that work on patches of images. */
import type { FloatArray } from "./float-array.js";

/** Largest number of patches in a group of similar ones. */
export const mostSimilar = 32;

/** Part of an image, with pixels in units of the noise level. */
export interface SimilarRegion {
  readonly width: number;
  readonly height: number;
  /** Estimate in which patches are compared, width×height. */
  readonly guide: FloatArray;
  readonly noisy: FloatArray;
  /** Corners of the reference patches, as indices of pixels. */
  readonly references: Int32Array;
}

export interface SimilarSettings {
  /** Side of the patches in pixels. */
  readonly size: number;
  /** Largest distance of a similar patch from its reference, across and down. */
  readonly reach: number;
  /** Variance of the errors of the guide, in units of the variance of the noise. */
  readonly uncertainty: number;
}

/** Sums over the members of all groups, width×height; a kernel adds to them. */
export interface SimilarSums {
  /** Sums of estimates for each pixel. */
  readonly values: FloatArray;
  /** Number of estimated patches for each corner. */
  readonly counts: FloatArray;
  /** Sums for each corner of ‖y − x̂‖²/N, where y is a noisy patch of N pixels, x̂ its estimate. */
  readonly residuals: FloatArray;
}

/** An image in the precision of the kernels. */
export interface PixelArray {
  readonly width: number;
  readonly height: number;
  readonly pixels: FloatArray;
}

/** Sums of gradients g over the patch that begins at each pixel, with weights w; width×height. */
export interface GradientSums {
  /** Σ w g_x², Σ w g_x g_y and Σ w g_y² */
  readonly xx: FloatArray;
  readonly xy: FloatArray;
  readonly yy: FloatArray;
  /** Σ w g_x and Σ w g_y */
  readonly x: FloatArray;
  readonly y: FloatArray;
}

export interface GuidedShape {
  /** Side of the patches in pixels. */
  readonly size: number;
  /** For each pose, the place in the image from which each pixel of the posed patch comes. */
  readonly poses: readonly Uint16Array[];
}

/** Parameters of one class of patches of N pixels (src/denoising/guided/guided-density.ts). */
export interface GuidedParameters {
  /** N×N */
  readonly H: FloatArray;
  readonly G: FloatArray;
  readonly gamma: FloatArray;
  /** N */
  readonly alpha: FloatArray;
  readonly beta: FloatArray;
}

/** Patches of a part of an image, with standardised pixels. */
export interface GuidedRegion {
  readonly width: number;
  readonly height: number;
  readonly noisy: FloatArray;
  readonly guide: FloatArray;
  /** Corners of the patches as indices of pixels, all patches of one class after another. */
  readonly corners: Int32Array;
  /** Pose of each patch. */
  readonly poses: Int32Array;
  /** Number of patches of each class. */
  readonly counts: Int32Array;
  /** σ², standardised. */
  readonly variance: number;
}

export interface GuidedKernel {
  /** Copies the parameters of all classes. */
  load(classes: readonly GuidedParameters[]): void;
  /**
   * Adds the estimate of each patch to its pixels of `sums`, width×height:
   * x̃ − σ² Hᵀ (u / D), where u = H x̃, v = G x̂ and D_i = β_i + Σ_j γ_ij |v_j|^α_j.
   */
  estimate(region: GuidedRegion, sums: FloatArray): void;
}

/** A density of patches of N pixels: a GDN with α_ij = α_j of z = H x + c. */
export interface PatchDensity {
  /** N×N */
  readonly H: FloatArray;
  readonly gamma: FloatArray;
  /** N */
  readonly c: FloatArray;
  readonly alpha: FloatArray;
  readonly beta: FloatArray;
  readonly epsilon: FloatArray;
}

/** Patches of a part of an image. */
export interface PatchRegion {
  readonly width: number;
  readonly height: number;
  readonly noisy: FloatArray;
  /** Corners of the patches, as indices of pixels. */
  readonly corners: Int32Array;
}

export interface PatchSettings {
  /** Standard deviation of the noise. */
  readonly sigma: number;
  /** Limits the estimated noise (src/denoising/empirical-bayes.ts). */
  readonly isBounded: boolean;
}

/**
 * Estimates x̃ + σ² ∇ log p(x̃), with the diagonal of I − M and the products of two entries beside
 * it in the log-determinant:
 *
 *   log det(I − M) ≈ Σ_i log(1 − m_i) − ½ Σ_{i≠j} q_i γ_ij γ_ji q_j
 *   p_i = ε_i α_i u_i / D_i,   m_i = γ_ii p_i,   q_i = p_i / (1 − m_i)
 */
export interface PatchKernel {
  /** Copies the parameters. */
  load(density: PatchDensity): void;
  /** Adds the estimate of each patch to its pixels of `sums`, width×height. */
  estimate(region: PatchRegion, settings: PatchSettings, sums: FloatArray): void;
}

export interface GuidedFitShape {
  /** N, pixels of a patch. */
  readonly pixels: number;
  /** K, values of the guide for a patch. */
  readonly cells: number;
  readonly classes: number;
  /** Largest number of patches at a time. */
  readonly patches: number;
}

/** Passes for fits of guided densities (src/denoising/guided/guided-density.ts). */
export interface GuidedFitKernel {
  /**
   * Takes the parameters of each class: H, M, G, γ, α and β, one after another in an array that
   * may be longer. `variance` is σ².
   */
  load(classes: readonly FloatArray[], variance: number): void;
  /**
   * Computes x̃ − σ² Hᵀ (u / D), where u = H x̃ − M x̂, v = G x̂ and D_i = β_i + Σ_j γ_ij
   * |v_j|^α_j. `counts` holds the number of patches of each class, which follow one another.
   */
  estimate(
    counts: ArrayLike<number>,
    noisy: FloatArray,
    guide: FloatArray,
    estimates: FloatArray,
  ): void;
  /**
   * Computes the derivatives of a loss by the parameters of each class that has patches, from its
   * derivatives by the last estimates. May be called once for each call of `estimate`.
   */
  gradient(errors: FloatArray, gradients: readonly (FloatArray | null)[]): void;
}
