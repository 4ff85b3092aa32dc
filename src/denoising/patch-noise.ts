/**
 * The level of white noise in an image, from the covariance of its patches (Pyatykh, Hesser & Zheng
 * 2013; Liu, Tanaka & Okutomi 2013). Noise spreads equally over all directions of patch space.
 * Image content, including stripes and cloth, fills only few of them:
 *
 *   σ² ≈ mean of the smallest eighth of the eigenvalues of C,
 *   C = covariance of the chosen patches
 *
 * All patches are chosen at first. If the smallest eigenvalues differ by more than chance, the
 * patches contain texture. Then only patches no rougher than pure noise of σ are kept, until σ
 * converges.
 *
 *   roughness of a patch   Σ (x_i − x_j)² over neighbours: of noise, mean 2E σ², variance
 *                          2 (Σ d_i² + 2E) σ⁴
 *   E, d_i                 pairs of neighbours in a patch, neighbours of pixel i
 *
 * With M patches of N pixels even equal eigenvalues spread by about √(N/M). The smallest eighth is
 * too small by 1.5 times that, which is divided out.
 *
 * Cost: N²/2 multiplications for each of at most 32,768 patches, up to 9 times; about 0.2 s.
 */
import type { GreyPixels, ImageSize } from "../images/grey-image.js";
import { meanOf } from "../numbers/means.js";
import { square } from "../numbers/square.js";
import { symmetricEigen } from "../transforms/symmetric-eigen.js";

export interface PatchNoise {
  readonly sigma: number;
  /**
   * Spread of the smallest quarter of the eigenvalues beyond that of white noise: √(largest /
   * smallest) − 1 − chance. Above about 0.2 nothing in the image looks like white noise.
   */
  readonly excess: number;
}

const largestSide = 7;
const mostPatches = 32_768;
/** Patches needed per pixel of a patch; with too few patches, eigenvalues vanish. */
export const leastRatio = 4;

/** Returns 7×7 pixels, or a smaller shape if the image has too few such patches. */
export function patchShapeOf({ width, height }: ImageSize): ImageSize {
  for (let side = largestSide; side > 2; side--) {
    const shape = { width: Math.min(side, width), height: Math.min(side, height) };
    const places = (width - shape.width + 1) * (height - shape.height + 1);
    if (places >= leastRatio * shape.width * shape.height) return shape;
  }
  return { width: Math.min(2, width), height: Math.min(2, height) };
}

/** Several times more places than patches: enough remain after clipped ones are dropped. */
const mostCorners = 8 * mostPatches;

/** Returns offsets of the upper left pixels of all patches, on a staggered grid in large images. */
export function cornersOf({ width, height }: ImageSize, shape: ImageSize): Int32Array {
  const [columns, rows] = [width - shape.width + 1, height - shape.height + 1];
  const step = Math.ceil(Math.sqrt((columns * rows) / mostCorners));
  const corners: number[] = [];
  for (let top = 0; top < rows; top += step) {
    for (let left = (top / step) % step; left < columns; left += step) {
      corners.push(top * width + left);
    }
  }
  return Int32Array.from(corners);
}

/** Smallest selection of patches, as a number and as a share of all. */
const leastSelected = 200;
const leastShare = 0.005;
/** Standard deviations above the mean roughness of noise that pure noise hardly exceeds. */
const roughest = 4;
const flatEnough = 0.02;
const mostSelections = 8;
const converged = 0.01;

/** Estimates the noise from the patches whose upper left pixels are `corners`. */
export function patchNoise(image: GreyPixels, shape: ImageSize, corners: Int32Array): PatchNoise {
  const step = Math.ceil(corners.length / mostPatches);
  const some = corners.filter((_, k) => k % step === 0);
  const patches = patchesOf(image, shape, some);
  let found = noiseOf(patches, patches.all);
  for (let k = 0; k < mostSelections && found.excess > flatEnough; k++) {
    const most = found.sigma * found.sigma * patches.roughestOfNoise;
    const weak = patches.all.filter((place) => patches.roughness[place] < most);
    if (weak.length < Math.max(leastSelected, leastShare * patches.all.length)) break;
    const { sigma } = found;
    found = noiseOf(patches, weak);
    if (Math.abs(found.sigma - sigma) < converged * sigma) break;
  }
  return found;
}

interface Patches {
  /** Pixels per patch. */
  readonly n: number;
  /**
   * One row per patch. The first pixel of the image is subtracted: a constant image is exactly 0.
   */
  readonly values: Float64Array;
  readonly roughness: Float64Array;
  /** Roughness that noise of level 1 hardly exceeds. */
  readonly roughestOfNoise: number;
  /** Indices of all patches. */
  readonly all: Int32Array;
}

function patchesOf(image: GreyPixels, shape: ImageSize, corners: Int32Array): Patches {
  const n = shape.width * shape.height;
  const values = new Float64Array(n * corners.length);
  const first = image.pixels[0];
  corners.forEach((corner, k) => {
    for (let i = 0; i < n; i++) {
      const place = corner + Math.floor(i / shape.width) * image.width + (i % shape.width);
      values[k * n + i] = image.pixels[place] - first;
    }
  });
  const pairs = neighbours(shape);
  const roughness = Float64Array.from(corners, (_, k) => roughnessAt(values, k * n, pairs));
  const all = Int32Array.from(corners, (_, k) => k);
  return { n, values, roughness, roughestOfNoise: roughestOfNoise(n, pairs), all };
}

type Pair = readonly [number, number];

function neighbours({ width, height }: ImageSize): readonly Pair[] {
  const pairs: Pair[] = [];
  for (let i = 0; i < width * height; i++) {
    if ((i + 1) % width !== 0) pairs.push([i, i + 1]);
    if (i + width < width * height) pairs.push([i, i + width]);
  }
  return pairs;
}

function roughnessAt(values: Float64Array, start: number, pairs: readonly Pair[]): number {
  let sum = 0;
  for (const [i, j] of pairs) sum += square(values[start + i] - values[start + j]);
  return sum;
}

function roughestOfNoise(n: number, pairs: readonly Pair[]): number {
  const degrees = new Float64Array(n);
  for (const pair of pairs) for (const i of pair) degrees[i]++;
  const squares = degrees.reduce((sum, degree) => sum + degree * degree, 0);
  return 2 * pairs.length + roughest * Math.sqrt(2 * (squares + 2 * pairs.length));
}

/** Bias of the smallest eighth and spread of the smallest quarter, in √(N/M), by simulation. */
const biasOfEighth = 1.5;
const spreadOfQuarter = 0.6;
/** Smallest correction; with very few patches it is only a guess. */
const leastCorrection = 0.4;

function noiseOf({ n, values }: Patches, chosen: Int32Array): PatchNoise {
  const { values: eigenvalues } = symmetricEigen(covariance(values, n, chosen), n);
  eigenvalues.sort();
  const eighth = eigenvalues.subarray(0, Math.max(1, n >> 3));
  const chance = Math.sqrt(n / chosen.length);
  const correction = Math.max(leastCorrection, 1 - biasOfEighth * chance);
  const [smallest, quarter] = [eigenvalues[0], eigenvalues[Math.max(1, n >> 2) - 1]];
  // Rounding alone may make an eigenvalue of 0 negative.
  const spread = smallest > 0 ? Math.sqrt(quarter / smallest) : 1;
  return {
    sigma: Math.sqrt(Math.max(0, meanOf(eighth)) / correction),
    excess: spread - 1 - spreadOfQuarter * chance,
  };
}

function covariance(values: Float64Array, n: number, chosen: Int32Array): Float64Array {
  const means = new Float64Array(n);
  for (const k of chosen) for (let i = 0; i < n; i++) means[i] += values[k * n + i];
  for (let i = 0; i < n; i++) means[i] /= chosen.length;
  const matrix = new Float64Array(n * n);
  const centred = new Float64Array(n);
  for (const k of chosen) {
    for (let i = 0; i < n; i++) centred[i] = values[k * n + i] - means[i];
    for (let i = 0; i < n; i++) {
      const value = centred[i];
      for (let j = i; j < n; j++) matrix[i * n + j] += value * centred[j];
    }
  }
  for (let i = 0; i < n; i++) {
    for (let j = i; j < n; j++) {
      matrix[i * n + j] /= chosen.length;
      matrix[j * n + i] = matrix[i * n + j];
    }
  }
  return matrix;
}
