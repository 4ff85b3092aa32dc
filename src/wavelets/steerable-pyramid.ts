/**
 * The steerable pyramid of an image, in the Fourier domain (Simoncelli & Freeman 1995): what the
 * paper takes pairs of coefficients from (§4.1). Frequencies are split into a high-pass rest, N
 * orientations at each of S scales, one octave apart, and a low-pass rest.
 *
 *   highpass = F⁻¹ high_0 F x,                                 L_0 = low_0 F x
 *   band_sb  = F⁻¹ (−i)^(N−1) high_{s+1} angular_b L_s,        L_{s+1} = low_{s+1} L_s
 *   lowpass  = F⁻¹ L_S
 *
 *   symbol              variable                   meaning
 *   x                   image
 *   F                   realFourierPlan2d          the Fourier transform: images are periodic, left
 *                                                  meets right
 *   high, low, angular  steerable-windows.ts
 *   L_s                                            half the frequencies of L_{s−1} along each axis
 *   N, b                orientations, orientation
 *   S, s                scales, scale              0 is the finest
 *
 * Band b answers most to frequencies in the direction πb/N from the x axis towards the y axis,
 * which points down. Of four: 0 to upright edges, 1 to edges that rise from left to right (/), 2 to
 * level edges, 3 to edges that fall (\). Filters are odd where N is even, and even where N is odd.
 * Any other orientation is a weighted sum of the N bands.
 *
 * A band of scale s has ⌈w/2^s⌉×⌈h/2^s⌉ coefficients and keeps the amplitude of its frequencies at
 * every scale. So the energies of the bands add up to that of the image with weights: Σ_bands
 * (coefficients / pixels) Σ c² = Σ x², to 1e-5 (steerable-windows.ts).
 *
 * Deviation from the original program (matlabPyrTools, buildSFpyr): directions are computed where
 * it reads a table, up to 3e-6 apart for N = 4. Cost: one Fourier transform for each band.
 */
import { checkFields, expected } from "../errors.js";
import { type HalfSpectrum, emptyHalfSpectrum } from "../fourier/real-fourier-2d.js";
import { type GreyPixels, requireFinitePixels } from "../images/grey-image.js";
import type { Float64Pixels } from "../images/reflection.js";
import type { Band } from "./filter-bank.js";
import {
  requireOrientation,
  requireOrientations,
  requireScale,
  requireScales,
  sizeOf,
} from "./steerable-checks.js";
import {
  type Remainder,
  type SteerableLevel,
  bandOf,
  bandWindow,
  coarser,
  levelAt,
  orientedBand,
  sideAt,
  startOf,
  windowsOf,
} from "./steerable-level.js";
import {
  type Size,
  addLowerFrequencies,
  addWindowed,
  divideBySquares,
  windowed,
} from "./steerable-spectrum.js";
import { type RadialWindows, radialWindows } from "./steerable-windows.js";

export interface SteerablePyramidOptions {
  /** From 1 to 16, default 4. */
  readonly orientations?: number;
  /** Default 3; the shorter side must have at least 2^(scales + 2) pixels. */
  readonly scales?: number;
}

export interface SteerableScaleOptions {
  /** From 1 to 16, default 4. */
  readonly orientations?: number;
  /** Default 0, the finest. */
  readonly scale?: number;
}

export interface SteerableBandOptions extends SteerableScaleOptions {
  /** From 0, upright edges, to orientations − 1. */
  readonly orientation: number;
}

export interface SteerablePyramid {
  /** Of the image. */
  readonly width: number;
  readonly height: number;
  readonly orientations: number;
  readonly highpass: Band;
  /** bands[scale][orientation], from the finest scale to the coarsest. */
  readonly bands: readonly (readonly Band[])[];
  readonly lowpass: Band;
}

/** Splits an image into the oriented subbands of a steerable pyramid. */
export function splitIntoSteerablePyramid(
  image: GreyPixels,
  options: SteerablePyramidOptions = {},
): SteerablePyramid {
  checkFields("the options", options, ["orientations", "scales"]);
  const { orientations = 4, scales = 3 } = options;
  requireFinitePixels(image, "the image");
  requireOrientations(orientations);
  requireScales(scales, image);
  const { width, height } = image;
  const { level, spectrum, windows } = startOf(image);
  const highpass = bandOf(level, windowed(spectrum, windows.high));
  const bands: Band[][] = [];
  let rest: Remainder = { level, low: windowed(spectrum, windows.low) };
  for (let scale = 0; scale < scales; scale++) {
    const own = windowsOf(rest.level);
    bands.push(orientedBands(rest, own, orientations));
    rest = coarser(image, rest, own.low);
  }
  return { width, height, orientations, highpass, bands, lowpass: bandOf(rest.level, rest.low) };
}

/** The inverse of {@link splitIntoSteerablePyramid}, exact but for rounding. */
export function joinSteerablePyramid(pyramid: SteerablePyramid): Float64Pixels {
  requirePyramid(pyramid);
  const { width, height, highpass, bands, lowpass } = pyramid;
  let low = levelAt(bands.length, pyramid).plan.forward(lowpass.values);
  for (let scale = bands.length - 1; scale >= 0; scale--) {
    const level = levelAt(scale, pyramid);
    const windows = windowsOf(level);
    const sum = joinedOrientations(level, windows, bands[scale]);
    addLowerFrequencies(sum, low, windows.low);
    divideBySquares(sum, windows);
    low = sum;
  }
  const { plan, grid } = levelAt(0, pyramid);
  const windows = radialWindows(grid, 0);
  const spectrum = windowed(low, windows.low);
  addWindowed(spectrum, plan.forward(highpass.values), windows.high);
  divideBySquares(spectrum, windows);
  return { width, height, pixels: plan.inverse(spectrum) };
}

/** All orientations of one scale, without the rest of the pyramid. */
export function steerableBands(image: GreyPixels, options: SteerableScaleOptions = {}): Band[] {
  checkFields("the options", options, ["orientations", "scale"]);
  const { orientations = 4, scale = 0 } = options;
  requireOrientations(orientations);
  const rest = remainderAt(scale, image);
  return orientedBands(rest, windowsOf(rest.level), orientations);
}

/** One band, without the rest of the pyramid. */
export function steerableBand(image: GreyPixels, options: SteerableBandOptions): Band {
  checkFields("the options", options, ["orientations", "orientation", "scale"]);
  const { orientations = 4, orientation, scale = 0 } = options;
  requireOrientations(orientations);
  requireOrientation(orientation, orientations);
  const rest = remainderAt(scale, image);
  const window = bandWindow(rest.level, windowsOf(rest.level), orientations, orientation);
  return orientedBand(rest, window, orientations);
}

/** L_s */
function remainderAt(scale: number, image: GreyPixels): Remainder {
  requireFinitePixels(image, "the image");
  requireScale(scale, image);
  const { level, spectrum, windows } = startOf(image);
  let rest: Remainder = { level, low: windowed(spectrum, windows.low) };
  while (rest.level.scale < scale) rest = coarser(image, rest, windowsOf(rest.level).low);
  return rest;
}

function orientedBands(rest: Remainder, windows: RadialWindows, orientations: number): Band[] {
  return Array.from({ length: orientations }, (_, orientation) => {
    const window = bandWindow(rest.level, windows, orientations, orientation);
    return orientedBand(rest, window, orientations);
  });
}

/** Σ_b i^(N−1) high angular_b F band_b: the transpose of {@link orientedBands}. */
function joinedOrientations(
  level: SteerableLevel,
  windows: RadialWindows,
  bands: readonly Band[],
): HalfSpectrum {
  const sum = emptyHalfSpectrum(level.width, level.height);
  for (const [orientation, { values }] of bands.entries()) {
    const window = bandWindow(level, windows, bands.length, orientation);
    // i^(N−1) = (−i)^(3(N−1))
    addWindowed(sum, level.plan.forward(values), window, 3 * (bands.length - 1));
  }
  return sum;
}

/** Every band is as large as its scale, and every scale has all orientations. */
function requirePyramid(pyramid: SteerablePyramid): void {
  const { orientations, highpass, bands, lowpass } = pyramid;
  requireOrientations(orientations);
  requireScales(bands.length, pyramid);
  requireBand(highpass, "highpass", 0, pyramid);
  requireBand(lowpass, "lowpass", bands.length, pyramid);
  for (const [scale, { length }] of bands.entries()) {
    if (length === orientations) continue;
    throw expected(`bands[${scale}]`, `hold ${orientations} orientations`, length);
  }
  for (const [scale, oriented] of bands.entries()) {
    for (const [k, band] of oriented.entries()) {
      requireBand(band, `bands[${scale}][${k}]`, scale, pyramid);
    }
  }
}

function requireBand(band: Band, name: string, scale: number, image: Size): void {
  const size = { width: sideAt(scale, image.width), height: sideAt(scale, image.height) };
  if (band.width !== size.width || band.height !== size.height) {
    throw expected(name, `be ${sizeOf(size)} coefficients`, sizeOf(band));
  }
  const count = size.width * size.height;
  if (band.values.length === count) return;
  throw expected(name, `hold ${count} values`, band.values.length);
}
