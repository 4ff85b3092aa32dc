/**
 * One step of an orthonormal wavelet transform along the rows or the columns of an array, and its
 * transpose, which is its inverse. Along a line x of even length N, periodic:
 *
 *   low_k  = Σ_i h_i x_{2k+i−c}
 *   high_k = Σ_i g_i x_{2k+i−c},   c = L/2 − 1, all indices modulo N
 *
 *   symbol  meaning
 *   h, g    low-pass and high-pass filter of L coefficients
 *   c       puts the middle of the filters between x_2k and x_2k+1, which aligns the coefficients
 *           of all scales with their pixels
 *
 * Orthonormal for any even N, also below L: periodic filters inherit the orthogonality of their
 * even shifts.
 */
import type { ImageSize } from "../images/grey-image.js";

/** Values of a rectangle, row by row. */
export interface Band extends ImageSize {
  readonly values: Float64Array;
}

export interface Split {
  readonly low: Band;
  readonly high: Band;
}

function emptyBand(width: number, height: number): Band {
  return { width, height, values: new Float64Array(width * height) };
}

/** Returns low and high frequencies of each row, in bands of half the width. */
export function splitRows({ width, height, values }: Band, { low, high }: WaveletFilters): Split {
  const half = width / 2;
  const [lows, highs] = [emptyBand(half, height), emptyBand(half, height)];
  const places = periodicPlaces(width, low.length);
  const line = new Float64Array(places.length);
  for (let y = 0; y < height; y++) {
    for (let i = 0; i < line.length; i++) line[i] = values[y * width + places[i]];
    for (let k = 0; k < half; k++) {
      let [a, b] = [0, 0];
      for (let i = 0; i < low.length; i++) {
        a += low[i] * line[2 * k + i];
        b += high[i] * line[2 * k + i];
      }
      lows.values[y * half + k] = a;
      highs.values[y * half + k] = b;
    }
  }
  return { low: lows, high: highs };
}

/** The transpose of {@link splitRows}. */
export function joinRows({ low: lows, high: highs }: Split, { low, high }: WaveletFilters): Band {
  const [half, height] = [lows.width, lows.height];
  const joined = emptyBand(2 * half, height);
  const places = periodicPlaces(2 * half, low.length);
  const line = new Float64Array(places.length);
  for (let y = 0; y < height; y++) {
    line.fill(0);
    for (let k = 0; k < half; k++) {
      const [a, b] = [lows.values[y * half + k], highs.values[y * half + k]];
      for (let i = 0; i < low.length; i++) line[2 * k + i] += low[i] * a + high[i] * b;
    }
    for (let i = 0; i < line.length; i++) joined.values[y * 2 * half + places[i]] += line[i];
  }
  return joined;
}

/** Returns low and high frequencies of each column, in bands of half the height. */
export function splitColumns({ width, height, values }: Band, filters: WaveletFilters): Split {
  const half = height / 2;
  const split = { low: emptyBand(width, half), high: emptyBand(width, half) };
  forRowsOfFilters(height, filters, (k, row, h, g) => {
    const [low, high] = [split.low.values, split.high.values];
    for (let x = 0; x < width; x++) {
      const value = values[row * width + x];
      low[k * width + x] += h * value;
      high[k * width + x] += g * value;
    }
  });
  return split;
}

/** The transpose of {@link splitColumns}. */
export function joinColumns({ low, high }: Split, filters: WaveletFilters): Band {
  const { width, height: half } = low;
  const joined = emptyBand(width, 2 * half);
  forRowsOfFilters(2 * half, filters, (k, row, h, g) => {
    for (let x = 0; x < width; x++) {
      joined.values[row * width + x] +=
        h * low.values[k * width + x] + g * high.values[k * width + x];
    }
  });
  return joined;
}

/**
 * Visits whole rows, as they lie in memory: row `row` has the weights h and g in row k of the
 * halves.
 */
function forRowsOfFilters(
  height: number,
  { low, high }: WaveletFilters,
  visit: (k: number, row: number, h: number, g: number) => void,
): void {
  const places = periodicPlaces(height, low.length);
  for (let k = 0; k < height / 2; k++) {
    for (let i = 0; i < low.length; i++) visit(k, places[2 * k + i], low[i], high[i]);
  }
}

/** Returns the places that the filters read, periodically from c places before the first value. */
function periodicPlaces(length: number, taps: number): Uint32Array {
  const before = taps / 2 - 1;
  return Uint32Array.from({ length: length + taps - 2 }, (_, k) => {
    return (((k - before) % length) + length) % length;
  });
}

/**
 * Low-pass filters h of orthonormal wavelets (Daubechies 1992):
 *
 *   Σ_i h_i h_{i+2k} = δ_k,   Σ_i h_i = √2,   high-pass g_i = (−1)^i h_{L−1−i}
 *
 * "haar" has two coefficients. "symlet8" has 16, eight vanishing moments, and the most linear phase
 * of all such filters (Daubechies 1992, §8.1). Its coefficients are spectral factors computed with
 * 60 digits by scripts/wavelet-filters.py.
 */
const lowPass = {
  haar: [Math.SQRT1_2, Math.SQRT1_2],
  symlet8: [
    0.001889950332767689, -0.0003029205147241331, -0.014952258337062199, 0.0038087520138944896,
    0.04913717967373029, -0.027219029917103486, -0.0519458381078818, 0.36444189483617895,
    0.777185751699628, 0.4813596512590534, -0.061273359067811076, -0.14329423835127267,
    0.007607487324976609, 0.03169508781152599, -0.0005421323318000107, -0.0033824159510050028,
  ],
} as const;

export type WaveletName = keyof typeof lowPass;

/** Names of the orthonormal wavelets. */
export const waveletNames = Object.keys(lowPass) as readonly WaveletName[];

/** Low-pass h and high-pass g, of the same even length. */
export interface WaveletFilters {
  readonly low: Float64Array;
  readonly high: Float64Array;
}

export function waveletFilters(name: WaveletName): WaveletFilters {
  const low = Float64Array.from(lowPass[name]);
  const high = low.map((_, i) => (i % 2 === 0 ? 1 : -1) * low[low.length - 1 - i]);
  return { low, high };
}
