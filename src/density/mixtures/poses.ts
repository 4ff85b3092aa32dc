/**
 * The eight poses of a square patch: four quarter turns of the patch and of its mirror image. A
 * pose g permutes the pixels, (g x)_k = x_sources[k].
 *
 * A patch without its mean has N = side² − 1 coordinates: all pixels but the last, which is minus
 * the sum of the others. A pose permutes all side² pixels, the last one included.
 *
 * In both cases |det ∂(g x)/∂x| = 1. A permutation matrix has determinant ±1. Without the mean, a
 * pose maps the hyperplane Σ x = 0 to itself, as an isometry, and the chart of N coordinates is the
 * same before and after: if C maps the hyperplane to its coordinates, the determinant is
 * det(C P C⁻¹) = det P on the hyperplane = ±1.
 */
import type { FloatArray } from "../../kernels/kernels.js";

export const poseCount = 8;

export interface Pose {
  /** The pixel of x that each pixel of g x copies, side² of them. */
  readonly sources: Int32Array;
  /** Whether samples lack the last pixel, which is minus the sum of the others. */
  readonly removeMean: boolean;
}

/** Returns pose 0 to 7: mirrored left to right from 4 on, then turned by pose % 4 quarters. */
export function poseOf(side: number, removeMean: boolean, pose: number): Pose {
  const sources = new Int32Array(side * side);
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      let [r, c] = [row, column];
      for (let turn = 0; turn < pose % 4; turn++) [r, c] = [c, side - 1 - r];
      if (pose >= 4) c = side - 1 - c;
      sources[row * side + column] = r * side + c;
    }
  }
  return { sources, removeMean };
}

/** Returns x ↦ inner(outer(x)); `inner` null is the identity. */
export function composed(outer: Pose, inner: Pose | null): Pose {
  if (!inner) return outer;
  return { ...outer, sources: inner.sources.map((source) => outer.sources[source]) };
}

/** Returns g⁻¹. */
export function inverseOf({ sources, removeMean }: Pose): Pose {
  const inverse = new Int32Array(sources.length);
  sources.forEach((source, k) => {
    inverse[source] = k;
  });
  return { sources: inverse, removeMean };
}

/** Returns the samples g x of samples x; the same array if g is the identity. */
export function posed<T extends FloatArray>(x: T, pose: Pose): T {
  if (isIdentity(pose)) return x;
  const { sources } = pose;
  const n = dimensionOf(pose);
  const out = x.slice() as T;
  for (let from = 0; from < x.length; from += n) {
    const last = minusSum(x, from, n);
    for (let k = 0; k < n; k++) {
      const source = sources[k];
      out[from + k] = source < n ? x[from + source] : last;
    }
  }
  return out;
}

/** Returns ∂L/∂x of samples, given ∂L/∂(g x): the transposed map. */
export function backFromPose<T extends FloatArray>(gradient: T, pose: Pose): T {
  if (isIdentity(pose)) return gradient;
  const { sources } = pose;
  const n = dimensionOf(pose);
  const out = gradient.slice() as T;
  for (let from = 0; from < gradient.length; from += n) {
    // Derivative by the pixel that samples lack; every other pixel counts into it with −1.
    let ofLast = 0;
    out.fill(0, from, from + n);
    for (let k = 0; k < n; k++) {
      const source = sources[k];
      if (source < n) out[from + source] = gradient[from + k];
      else ofLast = gradient[from + k];
    }
    if (ofLast !== 0) for (let k = from; k < from + n; k++) out[k] -= ofLast;
  }
  return out;
}

function dimensionOf({ sources, removeMean }: Pose): number {
  return sources.length - (removeMean ? 1 : 0);
}

function isIdentity({ sources }: Pose): boolean {
  return sources.every((source, k) => source === k);
}

function minusSum(x: FloatArray, from: number, n: number): number {
  let sum = 0;
  for (let k = from; k < from + n; k++) sum += x[k];
  return -sum;
}
