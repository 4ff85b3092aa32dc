/**
 * The optimiser's coordinates of H. A patch varies hundreds of times more along its mean than along
 * its finest detail, so equal changes of the entries of H have very unequal effects. With a
 * whitening W of the data, H = K W, and K acts on data with equal variance in all directions:
 *
 *   ∂L/∂K = ∂L/∂H Wᵀ,   ΔH = ΔK W
 *
 * The optimiser moves K; the transform keeps H. For a convolution of blocks of pixels, F_q = K_q W
 * at every tap q.
 */
import { expected } from "../errors.js";
import type { FloatArray, Kernels } from "../kernels/kernels.js";

export interface WhitenedCoordinates {
  /** W, N×N. */
  readonly whitening: FloatArray;
  /** Wᵀ, N×N. */
  readonly transposed: FloatArray;
}

export function whitenedCoordinates(whitening: FloatArray, n: number): WhitenedCoordinates {
  if (whitening.length !== n * n) {
    throw expected("whitening", `hold ${n * n} values (${n}×${n})`, whitening.length);
  }
  const transposed = whitening.map((_, k) => whitening[(k % n) * n + Math.floor(k / n)]);
  return { whitening, transposed };
}

/** Whether a parameter group multiplies the components before they are normalized. */
export function isLinearGroup(name: string): boolean {
  return name === "H" || name === "weights";
}

/**
 * Multiplies the first H, or the first weights, by a matrix: Wᵀ turns gradients by H into gradients
 * by K, and W turns moves of K into moves of H. Without a matrix, returns the groups unchanged.
 *
 * @param first Number of first groups of this kind: one for each transform side by side.
 * @param reused Result of an earlier call with the same sizes, to be overwritten.
 */
export function timesFactor(
  kernels: Kernels,
  factor: FloatArray | undefined,
  names: readonly string[],
  groups: readonly FloatArray[],
  first: number,
  reused?: readonly FloatArray[],
): readonly FloatArray[] {
  if (!factor) return groups;
  const n = Math.sqrt(factor.length);
  const linear = names.flatMap((name, g) => (isLinearGroup(name) ? [g] : [])).slice(0, first);
  return groups.map((group, g) => {
    if (!linear.includes(g)) return group;
    const product = reused?.[g] ?? kernels.floats(group.length);
    kernels.multiply(group, factor, product, { rows: group.length / n, inner: n, columns: n });
    return product;
  });
}
