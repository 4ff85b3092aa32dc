/**
 * A separable orthonormal wavelet transform of images (Mallat 1989): each scale splits the low
 * frequencies of the scale before into four bands of half the size, by filters along rows and
 * columns.
 *
 *   band        rows      columns   responds to
 *   horizontal  low-pass  high-pass horizontal edges
 *   vertical    high-pass low-pass  vertical edges
 *   diagonal    high-pass high-pass both diagonals
 *   coarse      low-pass  low-pass  the rest: split further, or kept at the last scale
 *
 * The transform is an orthogonal matrix: white noise of level σ in the pixels is white noise of
 * level σ in the coefficients. Images whose sides are not multiples of 2^scales are extended by
 * reflection at the right and at the bottom.
 *
 * Cost: about 4L/3 multiplications per pixel with filters of L coefficients.
 */
import { expected } from "../errors.js";
import {
  type Float64Pixels,
  type GreyPixels,
  type ImageSize,
  cropOf,
  requirePixels,
} from "../images/grey-image.js";
import { extendByReflection } from "../images/reflection.js";
import {
  type Band,
  type WaveletFilters,
  type WaveletName,
  joinColumns,
  joinRows,
  splitColumns,
  splitRows,
  waveletFilters,
  waveletNames,
} from "./filter-bank.js";

export interface WaveletOptions {
  /** Default "symlet8". */
  readonly wavelet?: WaveletName;
  /** Number of times that the low frequencies are split, default 3. */
  readonly scales?: number;
}

export const orientations = ["horizontal", "vertical", "diagonal"] as const;
export type Orientation = (typeof orientations)[number];
export type DetailBands = Readonly<Record<Orientation, Band>>;

/** The bands of an image of width×height pixels, without its extension. */
export interface WaveletBands extends ImageSize {
  readonly wavelet: WaveletName;
  /** From the finest scale to the coarsest. */
  readonly details: readonly DetailBands[];
  readonly coarse: Band;
}

/** More scales would mostly split reflections: images are extended to multiples of 2^scales. */
const mostScales = 10;

export function checkWavelet({ wavelet, scales }: Required<WaveletOptions>): void {
  if (!waveletNames.includes(wavelet)) {
    throw expected("wavelet", `be one of ${waveletNames.join(", ")}`, wavelet);
  }
  if (!Number.isInteger(scales) || scales < 1 || scales > mostScales) {
    throw expected("scales", `be an integer from 1 to ${mostScales}`, scales);
  }
}

/** Splits an image into the subbands of an orthonormal wavelet. */
export function splitIntoWavelets(
  image: GreyPixels,
  { wavelet = "symlet8", scales = 3 }: WaveletOptions = {},
): WaveletBands {
  checkWavelet({ wavelet, scales });
  requirePixels(image, "the image");
  const filters = waveletFilters(wavelet);
  const { width, height } = image;
  const details: DetailBands[] = [];
  let coarse = extendedBand(image, scales);
  for (let scale = 0; scale < scales; scale++) {
    const split = splitBand(coarse, filters);
    details.push(split.details);
    coarse = split.coarse;
  }
  return { wavelet, width, height, details, coarse };
}

function extendedBand(image: GreyPixels, scales: number): Band {
  const { width, height, pixels } = extendByReflection(image, {
    right: shortOfMultiple(image.width, 2 ** scales),
    bottom: shortOfMultiple(image.height, 2 ** scales),
  });
  return { width, height, values: pixels };
}

/** Inverts {@link splitIntoWavelets}, exactly up to rounding. */
export function joinWavelets(bands: WaveletBands): Float64Pixels {
  const filters = waveletFilters(bands.wavelet);
  let { coarse } = bands;
  for (const detail of bands.details.toReversed()) coarse = joinBands(coarse, detail, filters);
  return cropOf({ ...coarse, pixels: coarse.values }, 0, 0, bands);
}

/** Returns the difference between a length and the next multiple. */
export function shortOfMultiple(length: number, multiple: number): number {
  return (multiple - (length % multiple)) % multiple;
}

function splitBand(
  band: Band,
  filters: WaveletFilters,
): { readonly details: DetailBands; readonly coarse: Band } {
  const rows = splitRows(band, filters);
  const lows = splitColumns(rows.low, filters);
  const highs = splitColumns(rows.high, filters);
  const details = { horizontal: lows.high, vertical: highs.low, diagonal: highs.high };
  return { details, coarse: lows.low };
}

function joinBands(
  coarse: Band,
  { horizontal, vertical, diagonal }: DetailBands,
  filters: WaveletFilters,
): Band {
  const low = joinColumns({ low: coarse, high: horizontal }, filters);
  const high = joinColumns({ low: vertical, high: diagonal }, filters);
  return joinRows({ low, high }, filters);
}
