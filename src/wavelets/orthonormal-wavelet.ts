/**
 * A separable orthonormal wavelet transform of images (Mallat 1989): each scale splits what the
 * scale before left of low frequencies into four bands of half the size, by filters along rows and
 * columns.
 *
 *   band        rows      columns   answers to
 *   horizontal  low-pass  high-pass horizontal edges
 *   vertical    high-pass low-pass  vertical edges
 *   diagonal    high-pass high-pass both diagonals
 *   coarse      low-pass  low-pass  the rest: split further, kept at the last scale
 *
 * The transform is an orthogonal matrix: white noise of standard deviation σ in the pixels is white
 * noise of standard deviation σ in the coefficients. Images whose sides are no multiples of
 * 2^scales are extended by reflection on the right and at the bottom.
 *
 * Cost: about 4L/3 multiplications a pixel with filters of L coefficients.
 */
import { expected } from "../errors.js";
import { type GreyPixels, requirePixels } from "../images/grey-image.js";
import { type Float64Pixels, extendByReflection } from "../images/reflection.js";
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
  /** How often the low frequencies are split, default 3. */
  readonly scales?: number;
}

export type Orientation = "horizontal" | "vertical" | "diagonal";

export const orientations: readonly Orientation[] = ["horizontal", "vertical", "diagonal"];

export type DetailBands = Readonly<Record<Orientation, Band>>;

export interface WaveletBands {
  readonly wavelet: WaveletName;
  /** Of the image, before it was extended. */
  readonly width: number;
  readonly height: number;
  /** From the finest scale to the coarsest. */
  readonly details: readonly DetailBands[];
  readonly coarse: Band;
}

/** Images are extended to multiples of 2^scales: more scales would mostly split reflections. */
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

/** The inverse of {@link splitIntoWavelets}, exact but for rounding. */
export function joinWavelets({
  wavelet,
  width,
  height,
  details,
  coarse,
}: WaveletBands): Float64Pixels {
  const filters = waveletFilters(wavelet);
  let band = coarse;
  for (const detail of details.toReversed()) band = joinBands(band, detail, filters);
  return cropped(band, width, height);
}

/** How much is missing from a length to the next multiple. */
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

function cropped(band: Band, width: number, height: number): Float64Pixels {
  const pixels = new Float64Array(width * height);
  for (let y = 0; y < height; y++) {
    const start = y * band.width;
    pixels.set(band.values.subarray(start, start + width), y * width);
  }
  return { width, height, pixels };
}
