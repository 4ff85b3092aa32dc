/**
 * One scale of a steerable pyramid: its frequencies, its windows, its bands. Equations in
 * steerable-pyramid.ts.
 */
import {
  type HalfSpectrum,
  type RealFourierPlan2d,
  realFourierPlan2d,
} from "../fourier/real-fourier-2d.js";
import type { GreyPixels } from "../images/grey-image.js";
import type { Band } from "./filter-bank.js";
import { type Size, lowerFrequencies, windowed } from "./steerable-spectrum.js";
import {
  type FrequencyGrid,
  type RadialWindows,
  frequencyGrid,
  orientedWindow,
  radialWindows,
} from "./steerable-windows.js";

export interface SteerableLevel extends Size {
  readonly scale: number;
  readonly grid: FrequencyGrid;
  readonly plan: RealFourierPlan2d;
}

/** What remains for the coarser scales. */
export interface Remainder {
  readonly level: SteerableLevel;
  /** L_s */
  readonly low: HalfSpectrum;
}

/** Coefficients along a side at a scale. */
export function sideAt(scale: number, side: number): number {
  return Math.ceil(side / 2 ** scale);
}

export function levelAt(scale: number, image: Size): SteerableLevel {
  const size = { width: sideAt(scale, image.width), height: sideAt(scale, image.height) };
  const plan = realFourierPlan2d(size.width, size.height);
  return { ...size, scale, grid: frequencyGrid(size, image), plan };
}

/** F x and the windows that split it into the high-pass rest and L_0. */
export function startOf(image: GreyPixels): {
  readonly level: SteerableLevel;
  readonly spectrum: HalfSpectrum;
  readonly windows: RadialWindows;
} {
  const level = levelAt(0, image);
  const spectrum = level.plan.forward(image.pixels);
  return { level, spectrum, windows: radialWindows(level.grid, 0) };
}

/** high_{s+1} and low_{s+1}. */
export function windowsOf({ grid, scale }: SteerableLevel): RadialWindows {
  return radialWindows(grid, scale + 1);
}

/** L_{s+1} */
export function coarser(image: Size, { level, low }: Remainder, window: Float64Array): Remainder {
  const next = levelAt(level.scale + 1, image);
  return { level: next, low: lowerFrequencies(windowed(low, window), next) };
}

/** high_{s+1} angular_b */
export function bandWindow(
  { grid }: SteerableLevel,
  { high }: RadialWindows,
  orientations: number,
  orientation: number,
): Float64Array {
  return orientedWindow(grid, high, orientations, orientation);
}

/** band_sb, from the window of {@link bandWindow}. */
export function orientedBand(
  { level, low }: Remainder,
  window: Float64Array,
  orientations: number,
): Band {
  return bandOf(level, windowed(low, window, orientations - 1));
}

/** The band of a spectrum, which is used up. */
export function bandOf({ width, height, plan }: SteerableLevel, spectrum: HalfSpectrum): Band {
  return { width, height, values: plan.inverse(spectrum) };
}
