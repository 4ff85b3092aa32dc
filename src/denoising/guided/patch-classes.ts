/**
 * Classes and poses of patches, from the gradients g of an estimate without noise (Romano, Isidoro
 * & Milanfar 2017, "RAISR"). The structure tensor T = Σ w g gᵀ of a patch, with eigenvalues λ₁ ≥ λ₂
 * and the eigenvector d of λ₁, gives its
 *
 *   strength   √λ₁
 *   coherence  (√λ₁ − √λ₂) / (√λ₁ + √λ₂): 1 for a straight edge, 0 for no preferred direction
 *   angle      of d to the nearer axis, below or above 22.5°
 *   pose       the one of the eight turns and reflections of a square that brings d, pointing
 *              uphill, between 0 and 45°
 *
 * Patches are brought into their pose, so edges need to be learned in one direction only. Patches
 * below the lowest strength are one class.
 */
import { expected } from "../../errors.js";
import type { GreyImage, ImageSize } from "../../images/grey-image.js";
import type { FloatArray, Kernels } from "../../kernels/kernels.js";
import type { GradientSums, PixelArray } from "../../kernels/patch-kernels.js";
import { referenceKernels } from "../../kernels/reference/index.js";
import { checkFields } from "../../transforms/checks.js";

/** Borders between classes, rising. */
export interface ClassBounds {
  readonly strengths: readonly number[];
  readonly coherences: readonly number[];
}

const poseCount = 8;

/** A kind is a class and a pose: class · 8 + pose. */
export function classOfKind(kind: number): number {
  return Math.floor(kind / poseCount);
}

export function poseOfKind(kind: number): number {
  return kind % poseCount;
}

const angleCount = 2;
/** tan 22.5°, the middle of an octant. */
const tangent = Math.SQRT2 - 1;

export function classCount({ strengths, coherences }: ClassBounds): number {
  return 1 + strengths.length * (coherences.length + 1) * angleCount;
}

/** Returns the kind of the size×size patch that begins at each pixel, 0 without room for one. */
export function classifyPatches(image: GreyImage, size: number, bounds: ClassBounds): Uint16Array {
  const kinds = new Uint16Array(image.pixels.length);
  const sums = structureOf(referenceKernels, image, size);
  eachCorner(image, size, (corner) => {
    kinds[corner] = kindAt(sums, corner, bounds);
  });
  return kinds;
}

/** Returns the kinds of the size×size patches with these corners. */
export function kindsAt(
  kernels: Kernels,
  image: PixelArray,
  size: number,
  bounds: ClassBounds,
  corners: Int32Array,
): Uint16Array {
  const sums = structureOf(kernels, image, size);
  const kinds = new Uint16Array(corners.length);
  for (let k = 0; k < kinds.length; k++) kinds[k] = kindAt(sums, corners[k], bounds);
  return kinds;
}

function kindAt(sums: GradientSums, corner: number, bounds: ClassBounds): number {
  const { strength, coherence, x, y } = structureAt(sums, corner);
  const isSteep = Math.abs(y) > Math.abs(x);
  const [along, across] = isSteep ? [y, x] : [x, y];
  const pose = (isSteep ? 4 : 0) + (across < 0 ? 2 : 0) + (along < 0 ? 1 : 0);
  const angle = Math.abs(across) < tangent * Math.abs(along) ? 0 : 1;
  return poseCount * classOf(strength, coherence, angle, bounds) + pose;
}

function classOf(
  strength: number,
  coherence: number,
  angle: number,
  { strengths, coherences }: ClassBounds,
): number {
  const level = rank(strength, strengths);
  if (level === 0) return 0;
  const row = (level - 1) * (coherences.length + 1) + rank(coherence, coherences);
  return 1 + row * angleCount + angle;
}

/** Counts the bounds that are at most `value`. */
function rank(value: number, bounds: readonly number[]): number {
  let count = 0;
  while (count < bounds.length && value >= bounds[count]) count++;
  return count;
}

export interface ClassShares {
  /** Shares of patches below each border of strength. */
  readonly strengths: readonly number[];
  /** Number of equal parts, by coherence, of the patches above the first border. */
  readonly coherences: number;
}

/** Tells whether values are an array of numbers that rise between 0 and `limit`. */
export function isRising(values: readonly unknown[], limit: number): boolean {
  if (!Array.isArray(values)) return false;
  return [0, ...(values as unknown[]), limit].every(
    (value, k, all) => typeof value === "number" && (k === 0 || value > (all[k - 1] as number)),
  );
}

export function checkShares(shares: ClassShares): void {
  checkFields("classes", shares, ["strengths", "coherences"]);
  const { strengths, coherences } = shares;
  if (!isRising(strengths, 1) || strengths.length === 0) {
    throw expected("strengths", "be rising shares between 0 and 1", strengths);
  }
  if (!Number.isInteger(coherences) || coherences < 1 || coherences > 16) {
    throw expected("coherences", "be an integer from 1 to 16", coherences);
  }
}

/** Returns bounds that divide the patches of some images into these shares. */
export function boundsOfShares(
  images: readonly GreyImage[],
  size: number,
  shares: ClassShares,
): ClassBounds {
  const all: { readonly strength: number; readonly coherence: number }[] = [];
  for (const image of images) {
    const sums = structureOf(referenceKernels, image, size);
    eachCorner(image, size, (corner) => {
      if (corner % sampledEvery === 0) all.push(structureAt(sums, corner));
    });
  }
  const { strengths: below, coherences: count } = shares;
  const strengths = quantiles(
    all.map(({ strength }) => strength),
    below,
  );
  const coherences = quantiles(
    all.filter(({ strength }) => strength >= strengths[0]).map(({ coherence }) => coherence),
    Array.from({ length: count - 1 }, (_, k) => (k + 1) / count),
  );
  return { strengths, coherences };
}

/** Distance between sampled patches; a prime, so no column of an image is preferred. */
const sampledEvery = 47;

function quantiles(values: readonly number[], shares: readonly number[]): number[] {
  const sorted = Float64Array.from(values).sort();
  return shares.map(
    (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))],
  );
}

interface Structure {
  readonly strength: number;
  readonly coherence: number;
  /** Direction of the strongest change, uphill, not normalised. */
  readonly x: number;
  readonly y: number;
}

function eachCorner(
  { width, height }: ImageSize,
  size: number,
  visit: (corner: number) => void,
): void {
  for (let top = 0; top + size <= height; top++) {
    for (let left = 0; left + size <= width; left++) visit(top * width + left);
  }
}

function structureAt({ xx, xy, yy, x, y }: GradientSums, k: number): Structure {
  const half = (xx[k] - yy[k]) / 2;
  const radius = Math.sqrt(half * half + xy[k] * xy[k]);
  const middle = (xx[k] + yy[k]) / 2;
  const first = Math.sqrt(middle + radius);
  const second = Math.sqrt(Math.max(0, middle - radius));
  // There are two formulas for the eigenvector; this takes the one without cancellation.
  const [dx, dy] = half >= 0 ? [radius + half, xy[k]] : [xy[k], radius - half];
  const sign = dx * x[k] + dy * y[k] < 0 ? -1 : 1;
  const coherence = first > 0 ? (first - second) / (first + second) : 0;
  return { strength: first, coherence, x: sign * dx, y: sign * dy };
}

/** Returns weighted sums over the patch that begins at each pixel. */
function structureOf(kernels: Kernels, image: PixelArray, size: number): GradientSums {
  const zeros = (): FloatArray => kernels.floats(image.pixels.length);
  const sums = { xx: zeros(), xy: zeros(), yy: zeros(), x: zeros(), y: zeros() };
  const weights = kernels.floats(size);
  weights.set(bell(size));
  kernels.sumGradients(image, weights, sums);
  return sums;
}

/** Returns binomial weights: nearly a normal window, with the same bits on every engine. */
function bell(size: number): number[] {
  let row = [1];
  while (row.length < size) row = [...row, 0].map((value, k) => (value + (row[k - 1] ?? 0)) / 2);
  // The square root is as wide as half the patch.
  const wide = row.map(Math.sqrt);
  const total = wide.reduce((sum, value) => sum + value, 0);
  return wide.map((value) => value / total);
}

/**
 * Returns for each pose the place from which each pixel of the posed patch comes. Bit 4 transposes,
 * bits 2 and 1 mirror rows and columns.
 */
export function poseMaps(size: number): readonly Uint16Array[] {
  const flip = (k: number, turned: boolean): number => (turned ? size - 1 - k : k);
  return Array.from({ length: poseCount }, (_, pose) =>
    Uint16Array.from({ length: size * size }, (_, k) => {
      const row = flip(Math.floor(k / size), (pose & 2) !== 0);
      const column = flip(k % size, (pose & 1) !== 0);
      return pose & 4 ? column * size + row : row * size + column;
    }),
  );
}
