/**
 * Denoising in an orthonormal wavelet, with any estimator of coefficients. The image is split into
 * bands, the coefficients of each detail band are estimated from the noisy ones, the coarse band
 * stays, and the bands are joined. The image is first extended by reflection, because the periodic
 * wavelet would see an edge between its left and right sides.
 *
 * An orthonormal wavelet is not invariant to translations, which causes ripples at edges. Averaging
 * over shifts of the image ("cycle spinning", Coifman & Donoho 1995) removes most of them:
 *
 *   x̂ = (1/n) Σ_s T_{−s} denoise(T_s y)
 *
 *   symbol  meaning
 *   T_s     circular shift of the image, by less than 2^scales in both directions
 *   n       number of shifts, from 1 to the 4^scales different ones
 */
import { expected } from "../errors.js";
import { type Float64Pixels, type GreyImage, requireFinitePixels } from "../images/grey-image.js";
import { extendByReflection } from "../images/reflection.js";
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
  /** Standard deviation of the noise, in the units of the pixels; see `estimateNoise`. */
  readonly sigma: number;
  /** Shifts of the image to average over, from 1 (default, no shift) to 4^scales. */
  readonly shifts?: number;
  readonly signal?: AbortSignal | undefined;
  /** Reports coefficients that are done, and their total. */
  readonly onProgress?: (done: number, total: number) => void;
}

const commonFields = ["sigma", "wavelet", "scales", "shifts", "signal", "onProgress"] as const;

/**
 * Returns the function that estimates the clean coefficient k of a noisy band. `parent` is the
 * noisy band one scale coarser, undefined at the coarsest scale.
 */
type BandEstimator = (noisy: Band, parent: Band | undefined) => (k: number) => number;

/** Widest margin in pixels. It need not cover the coarsest scales, which gain least. */
const widestMargin = 32;

/** The smallest Float32: pixels cannot hold less noise, and its square must not vanish. */
const leastSigma = 2 ** -149;

/** Coefficients between pauses, about 0.1 s of the slowest method. */
const coefficientsAtOnce = 2 ** 15;

/** Checks the options; `ownFields` are those of one method only. */
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

/** Extends an image by `margin` on all sides, and further until its sides are multiples. */
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
 * Returns shift number s as [right, down], from pairs of bits of s. The first four are all shifts
 * that differ at the finest scale, the first 16 those of the next; the first two of any four are
 * diagonal neighbours.
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

/** Shifts an image circularly. */
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

/** Adds the part of the image inside the margin to the sums. */
function addCropped(image: Float64Pixels, margin: number, sums: Float64Array, width: number): void {
  for (let y = margin, k = 0; k < sums.length; y++) {
    const row = y * image.width + margin;
    for (let x = 0; x < width; x++) sums[k++] += image.pixels[row + x];
  }
}

/** Reports progress and pauses, so that timers run and the work can be aborted. */
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
