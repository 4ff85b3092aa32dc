/**
 * What the steerable pyramid does to half spectra: windows, the unit (−i)^(N−1), the lower half of
 * the frequencies.
 */
import { type HalfSpectrum, emptyHalfSpectrum } from "../fourier/real-fourier-2d.js";

/** (−i)^power as [real part, imaginary part]. */
const turns = [
  [1, 0],
  [0, -1],
  [-1, 0],
  [0, 1],
] as const;

/** A new spectrum: window · (−i)^power · spectrum. */
export function windowed(spectrum: HalfSpectrum, window: Float64Array, power = 0): HalfSpectrum {
  const real = new Float64Array(window.length);
  const imaginary = new Float64Array(window.length);
  const result = { ...spectrum, real, imaginary };
  addWindowed(result, spectrum, window, power);
  return result;
}

/** sum += window · (−i)^power · spectrum. */
export function addWindowed(
  sum: HalfSpectrum,
  spectrum: HalfSpectrum,
  window: Float64Array,
  power = 0,
): void {
  const [c, d] = turns[power % 4];
  const { real, imaginary } = spectrum;
  for (let k = 0; k < window.length; k++) {
    sum.real[k] += window[k] * (c * real[k] - d * imaginary[k]);
    sum.imaginary[k] += window[k] * (c * imaginary[k] + d * real[k]);
  }
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The frequencies of a spectrum that a smaller array of the given size has. */
export function lowerFrequencies(spectrum: HalfSpectrum, { width, height }: Size): HalfSpectrum {
  const lower = emptyHalfSpectrum(width, height);
  for (let row = 0; row < height; row++) {
    const from = rowOf(row, height, spectrum.height) * spectrum.columns;
    for (const part of ["real", "imaginary"] as const) {
      const values = spectrum[part].subarray(from, from + lower.columns);
      lower[part].set(values, row * lower.columns);
    }
  }
  return lower;
}

/** sum += window · lower, where `lower` has the lower frequencies only and the others are 0. */
export function addLowerFrequencies(
  sum: HalfSpectrum,
  lower: HalfSpectrum,
  window: Float64Array,
): void {
  for (let row = 0; row < lower.height; row++) {
    const from = row * lower.columns;
    const to = rowOf(row, lower.height, sum.height) * sum.columns;
    for (let column = 0; column < lower.columns; column++) {
      const weight = window[to + column];
      sum.real[to + column] += weight * lower.real[from + column];
      sum.imaginary[to + column] += weight * lower.imaginary[from + column];
    }
  }
}

/** Row of the same frequency among `height` rows: negative frequencies are at the end. */
function rowOf(row: number, lowerHeight: number, height: number): number {
  return 2 * row < lowerHeight ? row : height - lowerHeight + row;
}

/** Divides a spectrum by high² + low², in place. */
export function divideBySquares(
  { real, imaginary }: HalfSpectrum,
  { high, low }: { readonly high: Float64Array; readonly low: Float64Array },
): void {
  for (let k = 0; k < real.length; k++) {
    const squares = high[k] * high[k] + low[k] * low[k];
    real[k] /= squares;
    imaginary[k] /= squares;
  }
}
