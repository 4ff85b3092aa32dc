/**
 * One scale of a steerable pyramid: its windows, its bands and the frequencies left for coarser
 * scales. The equations are in steerable-pyramid.ts.
 */
import {
  type HalfSpectrum,
  type RealFourierPlan2d,
  emptyHalfSpectrum,
  realFourierPlan2d,
} from "../fourier/real-fourier-2d.js";
import type { ImageSize } from "../images/grey-image.js";
import type { Band } from "./filter-bank.js";
import {
  type FrequencyGrid,
  type RadialWindows,
  frequencyGrid,
  orientedWindow,
  radialWindows,
} from "./steerable-windows.js";

export interface SteerableLevel extends ImageSize {
  readonly scale: number;
  readonly grid: FrequencyGrid;
  readonly plan: RealFourierPlan2d;
}

/** The frequencies that remain for a scale and the coarser ones. */
export interface Remainder {
  readonly level: SteerableLevel;
  /** L_s */
  readonly low: HalfSpectrum;
}

/** Returns the size of the bands at a scale. */
export function sizeAt(scale: number, { width, height }: ImageSize): ImageSize {
  return { width: Math.ceil(width / 2 ** scale), height: Math.ceil(height / 2 ** scale) };
}

export function levelAt(scale: number, image: ImageSize): SteerableLevel {
  const size = sizeAt(scale, image);
  const plan = realFourierPlan2d(size.width, size.height);
  return { ...size, scale, grid: frequencyGrid(size, image), plan };
}

/** Returns high_{s+1} and low_{s+1}. */
export function windowsOf({ grid, scale }: SteerableLevel): RadialWindows {
  return radialWindows(grid, scale + 1);
}

/** Returns L_{s+1}. */
export function coarser(
  image: ImageSize,
  { level, low }: Remainder,
  window: Float64Array,
): Remainder {
  const next = levelAt(level.scale + 1, image);
  return { level: next, low: lowerFrequencies(windowed(low, window), next) };
}

/** Returns band_sb. */
export function orientedBand(
  { level, low }: Remainder,
  { high }: RadialWindows,
  orientations: number,
  orientation: number,
): Band {
  const window = orientedWindow(level.grid, high, orientations, orientation);
  return bandOf(level, windowed(low, window, orientations - 1));
}

/** Returns the band of a spectrum, which is overwritten. */
export function bandOf({ width, height, plan }: SteerableLevel, spectrum: HalfSpectrum): Band {
  return { width, height, values: plan.inverse(spectrum) };
}

/** (−i)^power as [real part, imaginary part]. */
const turns = [
  [1, 0],
  [0, -1],
  [-1, 0],
  [0, 1],
] as const;

/** Returns window · (−i)^power · spectrum as a new spectrum. */
export function windowed(spectrum: HalfSpectrum, window: Float64Array, power = 0): HalfSpectrum {
  const real = new Float64Array(window.length);
  const imaginary = new Float64Array(window.length);
  const result = { ...spectrum, real, imaginary };
  addWindowed(result, spectrum, window, power);
  return result;
}

/** Adds window · (−i)^power · spectrum to a sum. */
export function addWindowed(
  sum: HalfSpectrum,
  { real, imaginary }: HalfSpectrum,
  window: Float64Array,
  power = 0,
): void {
  const [c, d] = turns[power % 4];
  for (let k = 0; k < window.length; k++) {
    sum.real[k] += window[k] * (c * real[k] - d * imaginary[k]);
    sum.imaginary[k] += window[k] * (c * imaginary[k] + d * real[k]);
  }
}

/** Returns the frequencies of a spectrum that a smaller array of the given size has. */
function lowerFrequencies(spectrum: HalfSpectrum, { width, height }: ImageSize): HalfSpectrum {
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

/** Adds window · lower to a sum; `lower` has only the lower frequencies, the others are 0. */
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

/** Returns the row of the same frequency among `height` rows; negative ones are at the end. */
function rowOf(row: number, lowerHeight: number, height: number): number {
  return 2 * row < lowerHeight ? row : height - lowerHeight + row;
}

/** Divides a spectrum by high² + low², in place. */
export function divideBySquares(
  { real, imaginary }: HalfSpectrum,
  { high, low }: RadialWindows,
): void {
  for (let k = 0; k < real.length; k++) {
    const squares = high[k] * high[k] + low[k] * low[k];
    real[k] /= squares;
    imaginary[k] /= squares;
  }
}
