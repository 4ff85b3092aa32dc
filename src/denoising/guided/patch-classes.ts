/**
 * Kinds of patches, and which way round they lie, told from the gradients g of an estimate without
 * noise (Romano, Isidoro & Milanfar 2017, "RAISR"). Of the structure tensor T = Σ w g gᵀ of a
 * patch, with eigenvalues λ₁ ≥ λ₂ and the eigenvector d of λ₁:
 *
 *   strength   √λ₁
 *   coherence  (√λ₁ − √λ₂) / (√λ₁ + √λ₂): 1 for a straight edge, 0 where no direction is preferred
 *   angle      of d to the nearer axis, below or above 22.5°
 *   pose       which of the eight turns and reflections of a square brings d, pointed uphill,
 *              between 0 and 45°
 *
 * A patch is brought into its pose before it is compared, so that an edge needs to be learned in
 * one direction only. Patches below the lowest strength are of one kind.
 */
import { expected } from "../../errors.js";
import type { GreyImage } from "../../images/grey-image.js";
import { checkFields } from "../../transforms/checks.js";

/** Where one kind of patch ends and the next begins, rising. */
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
/** tan 22.5°, where the nearer half of an octant ends. */
const tangent = Math.SQRT2 - 1;

export function classCount({ strengths, coherences }: ClassBounds): number {
  return 1 + strengths.length * (coherences.length + 1) * angleCount;
}

/**
 * The kind of the patch of `size`×`size` pixels at each pixel that one begins at; 0 where there is
 * no room.
 */
export function classifyPatches(image: GreyImage, size: number, bounds: ClassBounds): Uint16Array {
  const kinds = new Uint16Array(image.pixels.length);
  eachStructure(image, size, (corner, { strength, coherence, x, y }) => {
    const isSteep = Math.abs(y) > Math.abs(x);
    const [along, across] = isSteep ? [y, x] : [x, y];
    const pose = (isSteep ? 4 : 0) + (across < 0 ? 2 : 0) + (along < 0 ? 1 : 0);
    const angle = Math.abs(across) < tangent * Math.abs(along) ? 0 : 1;
    kinds[corner] = poseCount * classOf(strength, coherence, angle, bounds) + pose;
  });
  return kinds;
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

/** How many of the bounds are at most so much. */
function rank(value: number, bounds: readonly number[]): number {
  let count = 0;
  while (count < bounds.length && value >= bounds[count]) count++;
  return count;
}

/**
 * Of all patches, the share with less strength; coherences divide those above the first into equal
 * parts.
 */
export interface ClassShares {
  readonly strengths: readonly number[];
  readonly coherences: number;
}

export function checkShares(shares: ClassShares): void {
  checkFields("classes", shares, ["strengths", "coherences"]);
  const { strengths, coherences } = shares;
  const isRising =
    Array.isArray(strengths) &&
    strengths.length > 0 &&
    strengths.every((v: number, k) => v > (k === 0 ? 0 : Number(strengths[k - 1])) && v < 1);
  if (!isRising) throw expected("strengths", "be shares between 0 and 1 that rise", strengths);
  if (!Number.isInteger(coherences) || coherences < 1 || coherences > 16) {
    throw expected("coherences", "be an integer from 1 to 16", coherences);
  }
}

/** Bounds that divide the patches of some images in these shares. */
export function boundsOfShares(
  images: readonly GreyImage[],
  size: number,
  shares: ClassShares,
): ClassBounds {
  const all: { readonly strength: number; readonly coherence: number }[] = [];
  for (const image of images) {
    eachStructure(image, size, (corner, { strength, coherence }) => {
      if (corner % sampledEvery === 0) all.push({ strength, coherence });
    });
  }
  const strengths = quantiles(
    all.map(({ strength }) => strength),
    shares.strengths,
  );
  const strong = all.filter(({ strength }) => strength >= strengths[0]);
  const parts = Array.from(
    { length: shares.coherences - 1 },
    (_, k) => (k + 1) / shares.coherences,
  );
  return {
    strengths,
    coherences: quantiles(
      strong.map(({ coherence }) => coherence),
      parts,
    ),
  };
}

/** Quantiles need no more patches; a prime, so that no column of any image is preferred. */
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
  /** The direction of the strongest change, uphill; of any length. */
  readonly x: number;
  readonly y: number;
}

function eachStructure(
  image: GreyImage,
  size: number,
  visit: (corner: number, structure: Structure) => void,
): void {
  const { width, height } = image;
  const { xx, xy, yy, x, y } = weightedGradients(image, size);
  for (let top = 0; top + size <= height; top++) {
    for (let left = 0; left + size <= width; left++) {
      const k = top * width + left;
      const half = (xx[k] - yy[k]) / 2;
      const radius = Math.sqrt(half * half + xy[k] * xy[k]);
      const middle = (xx[k] + yy[k]) / 2;
      const first = Math.sqrt(middle + radius);
      const second = Math.sqrt(Math.max(0, middle - radius));
      // Either of two formulas for the eigenvector; the one that does not cancel.
      const [dx, dy] = half >= 0 ? [radius + half, xy[k]] : [xy[k], radius - half];
      const sign = dx * x[k] + dy * y[k] < 0 ? -1 : 1;
      const coherence = first > 0 ? (first - second) / (first + second) : 0;
      visit(k, { strength: first, coherence, x: sign * dx, y: sign * dy });
    }
  }
}

interface GradientSums {
  readonly xx: Float32Array;
  readonly xy: Float32Array;
  readonly yy: Float32Array;
  readonly x: Float32Array;
  readonly y: Float32Array;
}

/** For each pixel, sums over the patch that begins there. */
function weightedGradients({ width, height, pixels }: GreyImage, size: number): GradientSums {
  const x = new Float32Array(pixels.length);
  const y = new Float32Array(pixels.length);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const k = row * width + column;
      if (column > 0 && column < width - 1) x[k] = (pixels[k + 1] - pixels[k - 1]) / 2;
      if (row > 0 && row < height - 1) y[k] = (pixels[k + width] - pixels[k - width]) / 2;
    }
  }
  const weights = bell(size);
  const sum = (values: Float32Array): Float32Array => weightedSums(values, width, weights);
  return {
    xx: sum(x.map((value) => value * value)),
    xy: sum(x.map((value, k) => value * y[k])),
    yy: sum(y.map((value) => value * value)),
    x: sum(x),
    y: sum(y),
  };
}

/** Binomial weights, near a normal window and the same bits everywhere. */
function bell(size: number): number[] {
  let row = [1];
  while (row.length < size) row = [...row, 0].map((value, k) => (value + (row[k - 1] ?? 0)) / 2);
  // Their square root is as wide as half the patch.
  const wide = row.map(Math.sqrt);
  const total = wide.reduce((sum, value) => sum + value, 0);
  return wide.map((value) => value / total);
}

/**
 * Along rows, then along columns. At the right and the lower edge, where no patch has room, the
 * sums mean nothing.
 */
function weightedSums(
  values: Float32Array,
  width: number,
  weights: readonly number[],
): Float32Array {
  const along = (from: Float32Array, step: number): Float32Array => {
    const out = new Float32Array(from.length);
    for (let k = 0; k < from.length; k++) {
      let total = 0;
      for (let j = 0; j < weights.length; j++) total += weights[j] * (from[k + j * step] ?? 0);
      out[k] = total;
    }
    return out;
  };
  return along(along(values, 1), width);
}

/**
 * For each pose, where in a patch each pixel of the patch in that pose comes from: transposed for
 * 4, then turned over for 2 and 1.
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
