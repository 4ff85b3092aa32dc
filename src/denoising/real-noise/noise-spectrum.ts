/**
 * Coloured noise: noise that is correlated between neighbouring pixels, as after demosaicing,
 * resizing or sharpening. Its spectrum is estimated from the flattest blocks of the picture:
 *
 *   r(d) = E[n_p n_{p+d}],   S(f) = Σ_d r(d) cos 2πf·d,   |d| ≤ 3 in both directions
 *
 *   symbol  meaning
 *   n_p     noise at pixel p
 *   r, d    covariance at the displacement d, in pixels
 *   S, f    power at the frequency f; constant for white noise
 *
 * From each block of 16×16 pixels the best plane is subtracted, which also removes some noise. With
 * the projection P away from planes, the mean product at displacement d has the expectation
 *
 *   E r̂(d) = mean over pairs (p, p+d) of (P C P)_{p,p+d},   C_{pq} = r(q − p)
 *
 * This is linear in r, and is solved for r by iteration. A block counts as flat if the blocks
 * beside it are calm: its own noise does not decide, so the selection does not bias the estimate.
 */
import type { GreyPixels } from "../../images/grey-image.js";
import { square } from "../../numbers/square.js";
import { medianOf, nthSmallest } from "../../numbers/order-statistics.js";

/** Covariances at displacements (dx, dy), −reach … reach each, row by row. */
export interface NoiseCovariance {
  readonly reach: number;
  readonly values: Float64Array;
}

export interface SpectrumEstimate {
  readonly covariance: NoiseCovariance;
  /**
   * Relative spread of the energies of the flat blocks, divided by the spread that noise of this
   * covariance has. Near 1 for noise; larger for texture.
   */
  readonly spread: number;
}

export const reach = 3;
const lags = 2 * reach + 1;
export const side = 16;
const area = side * side;

/** Estimates the covariance of the noise; undefined if the picture has too few blocks. */
export function estimateCovariance(
  image: GreyPixels,
  clipped?: Uint8Array,
): SpectrumEstimate | undefined {
  const blocks = flatBlocks(image, clipped);
  if (blocks.length < leastBlocks) return undefined;
  const products = new Float64Array(lags * lags);
  for (const { values } of blocks) addProducts(values, products);
  for (let k = 0; k < products.length; k++) products[k] /= blocks.length * pairsAt(k);
  const values = withoutPlanes(products);
  const energies = Float64Array.from(blocks, ({ energy }) => energy);
  return { covariance: { reach, values }, spread: spreadOf(energies, products) };
}

interface Block {
  /** Pixels without their plane. */
  readonly values: Float64Array;
  /** Mean square of the values. */
  readonly energy: number;
}

/** Pixels from one block to the next; a divisor of the side. */
const stride = 8;
/** Fewest blocks, of all and of the flat ones, and the share of those that is flat. */
const leastBlocks = 12;
const shareOfBlocks = 0.08;
const mostBlocks = 1024;
/** Energy of a flat block, relative to the median, above which it holds an edge after all. */
const mostEnergy = 2;

function flatBlocks(image: GreyPixels, clipped: Uint8Array | undefined): readonly Block[] {
  const columns = Math.floor((image.width - side) / stride) + 1;
  const rows = Math.floor((image.height - side) / stride) + 1;
  if (columns < 3 || rows < 3) return [];
  const all = Array.from({ length: columns * rows }, (_, k) =>
    blockAt(image, stride * (k % columns), stride * Math.floor(k / columns), clipped),
  );
  const apart = side / stride;
  // The calmest blocks are those whose loudest neighbour is calm.
  const loudest = Float64Array.from(all, (_, k) => {
    const [column, row] = [k % columns, Math.floor(k / columns)];
    const beside = [
      ...(column >= apart ? [k - apart] : []),
      ...(column + apart < columns ? [k + apart] : []),
      ...(row >= apart ? [k - apart * columns] : []),
      ...(row + apart < rows ? [k + apart * columns] : []),
    ];
    return Math.max(...beside.map((place) => all[place].energy));
  });
  const count = Math.min(mostBlocks, Math.max(2 * leastBlocks, shareOfBlocks * all.length));
  const most = nthSmallest(loudest.slice(), Math.min(all.length, Math.ceil(count)) - 1);
  const calm = all.filter(({ energy }, k) => loudest[k] <= most && energy > 0 && energy < Infinity);
  if (calm.length === 0) return [];
  const limit = mostEnergy * medianOf(calm.map(({ energy }) => energy));
  return calm.filter(({ energy }) => energy <= limit);
}

/** Coordinates in a block, around 0, and the sum of their squares over the block. */
const coordinate = Float64Array.from({ length: side }, (_, k) => k - (side - 1) / 2);
const squares = side * coordinate.reduce((sum, value) => sum + value * value, 0);

/** Returns a block without its plane; one with clipped pixels has infinite energy. */
function blockAt(
  { width, pixels }: GreyPixels,
  left: number,
  top: number,
  clipped: Uint8Array | undefined,
): Block {
  const values = new Float64Array(area);
  let isClipped = false;
  for (let k = 0; k < area; k++) {
    const place = (top + Math.floor(k / side)) * width + left + (k % side);
    values[k] = pixels[place];
    if (clipped?.[place] === 1) isClipped = true;
  }
  removePlane(values);
  const energy = values.reduce((sum, value) => sum + value * value, 0) / area;
  return { values, energy: isClipped ? Infinity : energy };
}

function removePlane(values: Float64Array): void {
  let [mean, across, down] = [0, 0, 0];
  values.forEach((value, k) => {
    mean += value / area;
    across += (value * coordinate[k % side]) / squares;
    down += (value * coordinate[Math.floor(k / side)]) / squares;
  });
  for (let k = 0; k < area; k++) {
    values[k] -= mean + across * coordinate[k % side] + down * coordinate[Math.floor(k / side)];
  }
}

/** Returns the displacement with index k. */
function lagAt(k: number): readonly [dx: number, dy: number] {
  return [(k % lags) - reach, Math.floor(k / lags) - reach];
}

/** Pairs of pixels of a block at the displacement with index k. */
function pairsAt(k: number): number {
  const [dx, dy] = lagAt(k);
  return (side - Math.abs(dx)) * (side - Math.abs(dy));
}

/** Adds the sums of n_p n_{p+d} over a block. */
function addProducts(values: Float64Array, products: Float64Array): void {
  for (let k = 0; k <= products.length >> 1; k++) {
    const [dx, dy] = lagAt(products.length - 1 - k);
    let sum = 0;
    for (let y = 0; y + dy < side; y++) {
      for (let x = Math.max(0, -dx); x < Math.min(side, side - dx); x++) {
        sum += values[y * side + x] * values[(y + dy) * side + x + dx];
      }
    }
    products[k] += sum;
    if (k !== products.length - 1 - k) products[products.length - 1 - k] += sum;
  }
}

const repetitions = 12;

/**
 * Solves E r̂ = M r for r by r ← r + r̂ − M r. The few iterations leave the part of r that planes
 * hide almost completely at 0.
 */
function withoutPlanes(products: Float64Array): Float64Array {
  const r = products.slice();
  for (let k = 0; k < repetitions; k++) {
    const expected = expectedProducts(r);
    for (let d = 0; d < r.length; d++) r[d] += products[d] - expected[d];
  }
  return r;
}

/** Orthonormal constant, ramp across and ramp down. */
const planes = [
  Float64Array.from({ length: area }, () => 1 / side),
  Float64Array.from({ length: area }, (_, k) => coordinate[k % side] / Math.sqrt(squares)),
  Float64Array.from(
    { length: area },
    (_, k) => coordinate[Math.floor(k / side)] / Math.sqrt(squares),
  ),
];

/**
 * Returns M r: with q_i the planes and c_i = C q_i,
 * (P C P)_{pq} = C_{pq} − Σ_i (q_i c_iᵀ + c_i q_iᵀ)_{pq} + Σ_ij q_i (q_iᵀ c_j) q_jᵀ.
 */
function expectedProducts(r: Float64Array): Float64Array {
  const filtered = planes.map((plane) => convolved(plane, r));
  const inner = planes.map((plane) => filtered.map((c) => dot(plane, c)));
  // Both terms as Σ_i q_i h_iᵀ + h_i q_iᵀ with h_i = ½ Σ_j (q_iᵀ c_j) q_j − c_i.
  const halves = filtered.map((c, i) =>
    c.map((value, p) => planes.reduce((sum, q, j) => sum + (inner[i][j] * q[p]) / 2, -value)),
  );
  return r.map((value, k) => {
    const [dx, dy] = lagAt(k);
    let sum = 0;
    for (let y = Math.max(0, -dy); y < Math.min(side, side - dy); y++) {
      for (let x = Math.max(0, -dx); x < Math.min(side, side - dx); x++) {
        const [p, q] = [y * side + x, (y + dy) * side + x + dx];
        for (const [i, plane] of planes.entries()) {
          sum += plane[p] * halves[i][q] + halves[i][p] * plane[q];
        }
      }
    }
    return value + sum / pairsAt(k);
  });
}

function dot(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, k) => sum + value * b[k], 0);
}

/** Returns C v for a block v. */
function convolved(v: Float64Array, r: Float64Array): Float64Array {
  const result = new Float64Array(area);
  for (const [k, covariance] of r.entries()) {
    const [dx, dy] = lagAt(k);
    for (let y = Math.max(0, -dy); y < Math.min(side, side - dy); y++) {
      for (let x = Math.max(0, -dx); x < Math.min(side, side - dx); x++) {
        result[y * side + x] += covariance * v[(y + dy) * side + x + dx];
      }
    }
  }
  return result;
}

/**
 * Returns the relative spread of energies over the one of normal noise: var(‖n‖²) = 2 tr C², where
 * C² is about Σ_d r(d)² per pixel.
 */
function spreadOf(energies: Float64Array, r: Float64Array): number {
  const mean = energies.reduce((sum, value) => sum + value, 0) / energies.length;
  const variance = energies.reduce((sum, value) => sum + square(value - mean), 0) / energies.length;
  const power = r.reduce((sum, value) => sum + value * value, 0);
  const usual = Math.sqrt((2 * power) / area) / r[r.length >> 1];
  return Math.sqrt(variance) / mean / usual;
}
