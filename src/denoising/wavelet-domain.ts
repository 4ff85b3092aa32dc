/**
 * What all denoising in an orthonormal wavelet has in common: the image is split into bands, the
 * coefficients of each detail band are estimated from the noisy ones, the coarse band stays, and
 * the bands are joined. Before, the image is extended by reflection: the wavelet is periodic, and
 * would see an edge where the left side of the image meets the right one.
 *
 * An orthonormal wavelet is not invariant to translations, and its errors show as ripples at edges.
 * Averaging over shifts of the image ("cycle spinning", Coifman & Donoho 1995) removes most of
 * them:
 *
 *   x̂ = (1/n) Σ_s T_{−s} denoise(T_s y)
 *
 *   symbol  meaning
 *   T_s     circular shift of the image, by less than 2^scales in both directions
 *   n       number of shifts: 1 is the orthonormal wavelet alone, 4^scales are all that make a
 *           difference
 */
import { expected } from "../errors.js";
import { type GreyImage, requireFinitePixels } from "../images/grey-image.js";
import { type Float64Pixels, extendByReflection } from "../images/reflection.js";
import { abortError } from "../parallel/abort-error.js";
import { pause } from "../parallel/in-turns.js";
import { checkFields } from "../transforms/checks.js";
import type { Band } from "../wavelets/filter-bank.js";
import {
  type DetailBands,
  type WaveletBands,
  type WaveletOptions,
  checkWavelet,
  joinWavelets,
  orientations,
  shortOfMultiple,
  splitIntoWavelets,
} from "../wavelets/orthonormal-wavelet.js";
import { checkSigma } from "./noise-level.js";

export interface WaveletDenoisingOptions extends WaveletOptions {
  /** Standard deviation of the noise, in the units of the pixels; see estimateNoiseLevel. */
  readonly sigma: number;
  /**
   * Shifts of the image that the result is averaged over, default 1: none but the image as it is.
   * At most 4^scales.
   */
  readonly shifts?: number;
  readonly signal?: AbortSignal;
  /** Coefficients that are done, and all of them. */
  readonly onProgress?: (done: number, total: number) => void;
}

const commonFields = ["sigma", "wavelet", "scales", "shifts", "signal", "onProgress"] as const;

/**
 * For a noisy band, what estimates its clean coefficient k. `parent` is the noisy band one scale
 * coarser, if there is one.
 */
export type BandEstimator = (noisy: Band, parent: Band | undefined) => (k: number) => number;

/**
 * In pixels. Two coefficients of the coarsest scale are enough, and most of the gain is at the
 * finer ones.
 */
const widestMargin = 32;

/** The smallest Float32: pixels cannot hold less noise, and its square must not vanish. */
const leastSigma = 2 ** -149;

/** Coefficients from one pause to the next: some 0.1 s of the slowest method. */
const coefficientsAtOnce = 2 ** 15;

/** Throws for options that make no sense, `ownFields` being those of one method alone. */
export function checkWaveletOptions(
  options: WaveletDenoisingOptions,
  ownFields: readonly string[] = [],
): void {
  checkFields("the options", options, [...commonFields, ...ownFields]);
  const { sigma, wavelet = "symlet8", scales = 3, shifts = 1 } = options;
  checkSigma(sigma);
  checkWavelet({ wavelet, scales });
  const most = 2 ** (2 * scales);
  if (!Number.isInteger(shifts) || shifts < 1 || shifts > most) {
    throw expected("shifts", `be an integer from 1 to ${most}, 4 to the number of scales`, shifts);
  }
}

export async function denoiseInWavelets(
  noisy: GreyImage,
  options: WaveletDenoisingOptions,
  estimate: BandEstimator,
): Promise<GreyImage> {
  requireFinitePixels(noisy, "the image");
  const { sigma, scales = 3, shifts = 1, signal } = options;
  if (signal?.aborted) throw abortError(signal);
  if (sigma < leastSigma) return { ...noisy, pixels: noisy.pixels.slice() };
  const { width, height } = noisy;
  const margin = Math.min(2 ** (scales + 1), widestMargin);
  const extended = withMargin(noisy, margin, 2 ** scales);
  const progress = new Progress(options, shifts * extended.pixels.length);
  const sums = new Float64Array(width * height);
  for (let number = 0; number < shifts; number++) {
    const [right, down] = shiftOf(number);
    const bands = splitIntoWavelets(shifted(extended, right, down), options);
    const joined = joinWavelets(await estimateBands(bands, estimate, progress));
    addCropped(shifted(joined, -right, -down), margin, sums, width);
  }
  return { width, height, pixels: new Float32Array(sums.map((sum) => sum / shifts)) };
}

/** On all sides, and as much more as makes multiples of the sides. */
function withMargin(image: GreyImage, margin: number, multiple: number): Float64Pixels {
  return extendByReflection(image, {
    left: margin,
    top: margin,
    right: margin + shortOfMultiple(image.width + 2 * margin, multiple),
    bottom: margin + shortOfMultiple(image.height + 2 * margin, multiple),
  });
}

async function estimateBands(
  bands: WaveletBands,
  estimate: BandEstimator,
  progress: Progress,
): Promise<WaveletBands> {
  const details: DetailBands[] = [];
  for (const [scale, noisy] of bands.details.entries()) {
    const clean = { ...noisy };
    for (const name of orientations) {
      const estimateAt = estimate(noisy[name], bands.details.at(scale + 1)?.[name]);
      clean[name] = await estimateBand(noisy[name], estimateAt, progress);
    }
    details.push(clean);
  }
  await progress.add(bands.coarse.values.length);
  return { ...bands, details };
}

async function estimateBand(
  noisy: Band,
  estimateAt: (k: number) => number,
  progress: Progress,
): Promise<Band> {
  const values = new Float64Array(noisy.values.length);
  for (let first = 0; first < values.length; first += coefficientsAtOnce) {
    const end = Math.min(first + coefficientsAtOnce, values.length);
    for (let k = first; k < end; k++) values[k] = estimateAt(k);
    await progress.add(end - first);
  }
  return { ...noisy, values };
}

/**
 * Shift number s as [right, down]: the bits of s, two by two, so that the first four shifts are all
 * that the finest scale can tell apart, the first 16 all for the next; the first two of any four
 * are diagonal neighbours.
 */
function shiftOf(number: number): [number, number] {
  let [right, down] = [0, 0];
  for (let bit = 1, rest = number; rest > 0; rest >>= 2, bit *= 2) {
    const [low, high] = [rest & 1, (rest >> 1) & 1];
    right += bit * (low ^ high);
    down += bit * low;
  }
  return [right, down];
}

/** Whole parts of rows at a time. */
function shifted(image: Float64Pixels, right: number, down: number): Float64Pixels {
  const { width, height, pixels } = image;
  const result = new Float64Array(pixels.length);
  const [dx, dy] = [modulo(right, width), modulo(down, height)];
  for (let y = 0; y < height; y++) {
    const from = ((y + dy) % height) * width;
    result.set(pixels.subarray(from + dx, from + width), y * width);
    result.set(pixels.subarray(from, from + dx), y * width + width - dx);
  }
  return { width, height, pixels: result };
}

function modulo(value: number, length: number): number {
  return ((value % length) + length) % length;
}

/** Adds the part of the image that was there before it was extended. */
function addCropped(image: Float64Pixels, margin: number, sums: Float64Array, width: number): void {
  for (let y = margin, k = 0; k < sums.length; y++) {
    const row = y * image.width + margin;
    for (let x = 0; x < width; x++) sums[k++] += image.pixels[row + x];
  }
}

/** Tells how far it is, and lets others have their turn: timers, and whoever wants to abort. */
class Progress {
  private done = 0;

  constructor(
    private readonly options: Pick<WaveletDenoisingOptions, "signal" | "onProgress">,
    private readonly total: number,
  ) {}

  async add(count: number): Promise<void> {
    const { signal, onProgress } = this.options;
    this.done += count;
    onProgress?.(this.done, this.total);
    await pause();
    if (signal?.aborted) throw abortError(signal);
  }
}
