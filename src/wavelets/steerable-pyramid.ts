/**
 * The steerable pyramid of an image, in the Fourier domain (Simoncelli & Freeman 1995). The paper
 * takes pairs of coefficients from it (§4.1). It splits the frequencies into a high-pass rest, N
 * orientations at each of S scales, one octave apart, and a low-pass rest.
 *
 *   highpass = F⁻¹ high_0 F x,                                 L_0 = low_0 F x
 *   band_sb  = F⁻¹ (−i)^(N−1) high_{s+1} angular_b L_s,        L_{s+1} = low_{s+1} L_s
 *   lowpass  = F⁻¹ L_S
 *
 *   symbol              variable                   meaning
 *   x                   image
 *   F                   realFourierPlan2d          the Fourier transform of periodic images
 *   high, low, angular  steerable-windows.ts
 *   L_s                                            half the frequencies of L_{s−1} along each axis
 *   N, b                orientations, orientation
 *   S, s                scales, scale              0 is the finest
 *
 * Band b responds most to frequencies in the direction πb/N from the x axis towards the y axis,
 * which points down. Of four bands, 0 responds to vertical edges, 1 to edges that rise from left to
 * right (/), 2 to horizontal edges, 3 to edges that fall (\). Filters are odd for even N, and even
 * for odd N. Any other orientation is a weighted sum of the N bands.
 *
 * A band of scale s has ⌈w/2^s⌉×⌈h/2^s⌉ coefficients and keeps the amplitude of its frequencies, so
 * Σ_bands (coefficients / pixels) Σ c² = Σ x², to 1e-5 (steerable-windows.ts).
 *
 * Deviation from the original program (matlabPyrTools, buildSFpyr): directions are computed instead
 * of read from a table, which changes them by up to 3e-6 for N = 4. Cost: one Fourier transform per
 * band.
 */
import { checkFields, expected } from "../errors.js";
import { type HalfSpectrum, emptyHalfSpectrum } from "../fourier/real-fourier-2d.js";
import {
  type Float64Pixels,
  type GreyPixels,
  type ImageSize,
  requireFinitePixels,
} from "../images/grey-image.js";
import type { Band } from "./filter-bank.js";
import {
  type Remainder,
  type SteerableLevel,
  addLowerFrequencies,
  addWindowed,
  bandOf,
  coarser,
  divideBySquares,
  levelAt,
  orientedBand,
  sizeAt,
  windowed,
  windowsOf,
} from "./steerable-level.js";
import { type RadialWindows, orientedWindow, radialWindows } from "./steerable-windows.js";

export interface SteerablePyramidOptions {
  /** From 1 to 16, default 4. */
  readonly orientations?: number;
  /** Default 3; the shorter side must have at least 2^(scales + 2) pixels. */
  readonly scales?: number;
}

export interface SteerableScaleOptions extends Pick<SteerablePyramidOptions, "orientations"> {
  /** Default 0, the finest. */
  readonly scale?: number;
}

export interface SteerableBandOptions extends SteerableScaleOptions {
  /** From 0 (vertical edges) to orientations − 1. */
  readonly orientation: number;
}

/** The bands of an image of width×height pixels. */
export interface SteerablePyramid extends ImageSize {
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

/** Inverts {@link splitIntoSteerablePyramid}, exactly up to rounding. */
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

/** Returns all orientations of one scale, without the rest of the pyramid. */
export function steerableBands(image: GreyPixels, options: SteerableScaleOptions = {}): Band[] {
  checkFields("the options", options, ["orientations", "scale"]);
  const { orientations = 4, scale = 0 } = options;
  requireOrientations(orientations);
  const rest = remainderAt(scale, image);
  return orientedBands(rest, windowsOf(rest.level), orientations);
}

/** Returns one band, without the rest of the pyramid. */
export function steerableBand(image: GreyPixels, options: SteerableBandOptions): Band {
  checkFields("the options", options, ["orientations", "orientation", "scale"]);
  const { orientations = 4, orientation, scale = 0 } = options;
  requireOrientations(orientations);
  requireWithin("orientation", orientation, 0, orientations - 1);
  const rest = remainderAt(scale, image);
  return orientedBand(rest, windowsOf(rest.level), orientations, orientation);
}

/** Returns F x and the windows that split it into the high-pass rest and L_0. */
function startOf(image: GreyPixels) {
  const level = levelAt(0, image);
  const spectrum = level.plan.forward(image.pixels);
  return { level, spectrum, windows: radialWindows(level.grid, 0) };
}

/** Returns L_s. */
function remainderAt(scale: number, image: GreyPixels): Remainder {
  requireFinitePixels(image, "the image");
  requireWithin("scale", scale, 0, mostScales(image) - 1, ` for ${sizeText(image)} pixels`);
  const { level, spectrum, windows } = startOf(image);
  let rest: Remainder = { level, low: windowed(spectrum, windows.low) };
  while (rest.level.scale < scale) rest = coarser(image, rest, windowsOf(rest.level).low);
  return rest;
}

function orientedBands(rest: Remainder, windows: RadialWindows, orientations: number): Band[] {
  return Array.from({ length: orientations }, (_, orientation) =>
    orientedBand(rest, windows, orientations, orientation),
  );
}

/** Returns Σ_b i^(N−1) high angular_b F band_b, the transpose of {@link orientedBands}. */
function joinedOrientations(
  { width, height, grid, plan }: SteerableLevel,
  { high }: RadialWindows,
  bands: readonly Band[],
): HalfSpectrum {
  const sum = emptyHalfSpectrum(width, height);
  for (const [orientation, { values }] of bands.entries()) {
    const window = orientedWindow(grid, high, bands.length, orientation);
    // i^(N−1) = (−i)^(3(N−1))
    addWindowed(sum, plan.forward(values), window, 3 * (bands.length - 1));
  }
  return sum;
}

/** Requires all orientations at every scale, in bands of the right size. */
function requirePyramid(pyramid: SteerablePyramid): void {
  const { orientations, highpass, bands, lowpass } = pyramid;
  requireOrientations(orientations);
  requireScales(bands.length, pyramid);
  requireBand(highpass, "highpass", 0, pyramid);
  requireBand(lowpass, "lowpass", bands.length, pyramid);
  for (const [scale, oriented] of bands.entries()) {
    if (oriented.length !== orientations) {
      throw expected(`bands[${scale}]`, `hold ${orientations} orientations`, oriented.length);
    }
    for (const [k, band] of oriented.entries()) {
      requireBand(band, `bands[${scale}][${k}]`, scale, pyramid);
    }
  }
}

function requireBand(band: Band, name: string, scale: number, image: ImageSize): void {
  const { width, height } = sizeAt(scale, image);
  if (band.width !== width || band.height !== height) {
    throw expected(name, `be ${width}×${height} coefficients`, sizeText(band));
  }
  if (band.values.length === width * height) return;
  throw expected(name, `hold ${width * height} values`, band.values.length);
}

/** With more orientations, cos^(N−1) hardly differs from one to the next. */
const mostOrientations = 16;

function requireOrientations(orientations: number): void {
  requireWithin("orientations", orientations, 1, mostOrientations);
}

function requireScales(scales: number, image: ImageSize): void {
  requireWithin("scales", scales, 1, mostScales(image), ` for ${sizeText(image)} pixels`);
}

/** The coarsest scale needs eight coefficients along the shorter side, to contain an octave. */
function mostScales(image: ImageSize): number {
  const side = Math.min(image.width, image.height);
  if (!(side >= 8)) throw expected("the image", "be at least 8×8 pixels", sizeText(image));
  let scales = 1;
  while (2 ** (scales + 3) <= side) scales++;
  return scales;
}

function sizeText({ width, height }: ImageSize): string {
  return `${width}×${height}`;
}

function requireWithin(name: string, value: number, least: number, most: number, what = ""): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw expected(name, `be an integer from ${least} to ${most}${what}`, value);
}
