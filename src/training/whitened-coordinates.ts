/**
 * The optimiser's view of H. The entries of H are bad coordinates for a step of one size for all: a
 * patch varies hundreds of times more along its mean than along its finest detail, so that the same
 * change of an entry means hundreds of times as much there. With a whitening W of the data, H = K
 * W, and K acts on data that vary alike in all directions:
 *
 *   ∂L/∂K = ∂L/∂H Wᵀ,   ΔH = ΔK W
 *
 * The optimiser moves K; the transform keeps H. Of a convolution of blocks of pixels, F_q = K_q W
 * for every tap q.
 */
import { expected } from "../errors.js";
import type { FloatArray, Kernels } from "../kernels/kernels.js";

export interface WhitenedCoordinates {
  readonly dimension: number;
  /** N×N */
  readonly whitening: FloatArray;
  readonly transposed: FloatArray;
}

export function whitenedCoordinates(whitening: FloatArray, dimension: number): WhitenedCoordinates {
  const n = dimension;
  if (whitening.length !== n * n) {
    throw expected("whitening", `hold ${n * n} values (${n}×${n})`, whitening.length);
  }
  const transposed = whitening.map((_, k) => whitening[(k % n) * n + Math.floor(k / n)]);
  return { dimension, whitening, transposed };
}

/** What multiplies the components before anything is normalized. */
export function isLinearGroup(name: string): boolean {
  return name === "H" || name === "weights";
}

/**
 * Gradients by K in place of those by the first H, or the first weights; all other groups as they
 * are.
 */
export function inWhitened(
  kernels: Kernels,
  whitened: WhitenedCoordinates | null,
  names: readonly string[],
  gradients: readonly FloatArray[],
): readonly FloatArray[] {
  return whitened ? withH(kernels, whitened, whitened.transposed, names, gradients) : gradients;
}

/** Moves of the first H in place of those of K. */
export function outOfWhitened(
  kernels: Kernels,
  whitened: WhitenedCoordinates | null,
  names: readonly string[],
  moves: readonly FloatArray[],
): readonly FloatArray[] {
  return whitened ? withH(kernels, whitened, whitened.whitening, names, moves) : moves;
}

function withH(
  kernels: Kernels,
  { dimension: n }: WhitenedCoordinates,
  factor: FloatArray,
  names: readonly string[],
  groups: readonly FloatArray[],
): readonly FloatArray[] {
  const first = names.findIndex(isLinearGroup);
  return groups.map((group, g) => {
    if (g !== first) return group;
    const product = kernels.floats(group.length);
    kernels.multiply(group, factor, product, { rows: group.length / n, inner: n, columns: n });
    return product;
  });
}
