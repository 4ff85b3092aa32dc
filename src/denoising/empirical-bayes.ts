/**
 * Denoising by empirical Bayes (Miyasawa 1961), paper eq. (7): for x̃ = x + noise, the noise white and normal,
 *
 *   x̂ = E(x | x̃) = x̃ + σ² ∇ log p(x̃)
 *
 *   symbol  meaning
 *   x̃       a noisy patch
 *   σ       standard deviation of its noise
 *   p       density of NOISY patches: what the model was fitted to
 *   x̂       the estimate with the least mean squared error
 *
 * Exact for the p of the data; no density of clean patches appears in it. In an image, the estimates of all patches that a
 * pixel is in are averaged, with equal weights.
 *
 * A density that was fitted to patches with noise of standard deviation s serves for any σ near it: pictures of half the contrast
 * are as likely, up to a factor, so that the contrast of the picture is changed by s / σ, and back afterwards.
 *
 * Deviation from the paper: the noise of a patch is bounded (`bounded`); on photographs with all of their noise that is worth up to
 * 0.01 dB, on clipped ones up to 2.4 dB.
 *
 * Cost: one score a patch.
 */
import { checkRunner } from "../density/batch-passes.js";
import { score } from "../density/induced-density.js";
import type { Model } from "../density/model-files/model.js";
import { requireReading } from "../density/model-files/model-reading.js";
import { expected } from "../errors.js";
import { type GreyImage, requirePixels } from "../images/grey-image.js";
import { reflectedTo } from "../images/reflection.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import { type PatchLayout, copyPatch } from "../patches/patch-layout.js";
import { checkFields } from "../transforms/checks.js";
import { checkSigma } from "./noise-level.js";

export interface DenoisingOptions {
  /**
   * Standard deviation of the noise, in the units of the pixels. The model must have been fitted to patches with as much, unless
   * it says itself with how much (`about.preprocessing.noiseLevel`): then it should be near.
   */
  readonly sigma: number;
  /** Pixels from one patch to the next, default 1: every patch. At most the side of a patch. */
  readonly stride?: number;
  /** Whether the noise of a patch is kept within what noise can be, default true; false: eq. (7) as it stands. */
  readonly bounded?: boolean;
  /** Patches in memory, default 16,384; does not change the result. */
  readonly patchesAtOnce?: number;
  readonly signal?: AbortSignal;
  /** Patches that are done, and all of them. */
  readonly onProgress?: (done: number, total: number) => void;
}

const optionFields: readonly (keyof DenoisingOptions)[] = [
  "sigma",
  "stride",
  "bounded",
  "patchesAtOnce",
  "signal",
  "onProgress",
];

/**
 * The image without its noise, as far as a density of noisy patches knows. The same bits for any number of workers. An image that is
 * smaller than a patch is continued by reflection.
 *
 * @throws GaussianizeError where the model is not one of square patches with their mean
 */
export async function denoiseImage(
  runner: TaskRunner,
  model: Model,
  noisy: GreyImage,
  options: DenoisingOptions,
): Promise<GreyImage> {
  checkRunner(runner);
  const { layout } = requireReading(model);
  checkOptions(options, layout);
  requirePixels(noisy, "the image");
  if (options.sigma === 0) return { ...noisy, pixels: noisy.pixels.slice() };
  const { image, sigma, back } = atContrastOf(model, noisy, options.sigma);
  return back(await estimateOf(runner, model, image, layout, { ...options, sigma }));
}

/** An image as a model knows images: large enough for a patch, its noise that of the patches which the model was fitted to. */
export interface ChangedContrast {
  readonly image: GreyImage;
  /** Standard deviation of its noise. */
  readonly sigma: number;
  /** What is computed from `image`, at the size and the contrast of the original. */
  readonly back: (estimate: GreyImage) => GreyImage;
}

export function atContrastOf(model: Model, noisy: GreyImage, sigma: number): ChangedContrast {
  const { layout, noiseLevel = sigma } = requireReading(model);
  const contrast = noiseLevel / sigma;
  const centre = meanOf(noisy.pixels);
  return {
    image: withContrast(reflectedTo(noisy, layout.size), centre, contrast),
    sigma: noiseLevel,
    back: (estimate) => withContrast(upperLeft(estimate, noisy), centre, 1 / contrast),
  };
}

/** The whole picture, at the noise level of the model. */
async function estimateOf(
  runner: TaskRunner,
  model: Model,
  noisy: GreyImage,
  layout: PatchLayout,
  options: DenoisingOptions,
): Promise<GreyImage> {
  const { sigma, stride = 1, patchesAtOnce = 16_384, bounded = true, signal, onProgress } = options;
  const corners = coveringCorners(noisy, layout.size, stride);
  const average = new OverlapAverage(noisy, layout.size);
  for (let first = 0; first < corners.length; first += patchesAtOnce) {
    const some = corners.subarray(first, first + patchesAtOnce);
    const x = patchesAt(noisy, some, layout);
    const { score: gradient } = await score(runner, model.transform, x, {
      ...(signal && { signal }),
      onProgress: (done) => onProgress?.(first + done, corners.length),
    });
    average.add(some, estimatesOf(x, gradient, sigma, { area: layout.size ** 2, bounded }));
  }
  return average.image();
}

/** Of all patches, x̃ minus the noise that the density sees in it. */
function estimatesOf(
  x: Float32Array,
  gradient: FloatArray,
  sigma: number,
  { area, bounded }: { readonly area: number; readonly bounded: boolean },
): Float64Array {
  const noise = new Float64Array(gradient);
  for (let k = 0; k < noise.length; k++) noise[k] *= -sigma * sigma;
  if (bounded) {
    for (let from = 0; from < x.length; from += area) keepWithinReason(noise, x, from, area, sigma);
  }
  for (let k = 0; k < x.length; k++) noise[k] = x[k] - noise[k];
  return noise;
}

/**
 * What is certain of the noise n in a patch of N pixels, whatever a density says of patches unlike all that it was fitted to. Those are patches
 * with less noise: of whites and blacks that a camera has clipped it sees noise far beyond white.
 *
 *   |mean n| ≤ 5 σ/√N            a mean of N independent values
 *   ‖n − mean n‖ ≤ 1.25 σ √N     2.8 standard deviations for 8×8 pixels, and an estimate has less than what it estimates
 *   ‖n − mean n‖ ≤ ‖x̃ − mean x̃‖  to remove noise takes energy out of a patch
 */
function keepWithinReason(
  noise: Float64Array,
  x: Float32Array,
  from: number,
  area: number,
  sigma: number,
): void {
  const end = from + area;
  let [sumX, sumN, squaresX, squaresN] = [0, 0, 0, 0];
  for (let k = from; k < end; k++) {
    sumX += x[k];
    sumN += noise[k];
  }
  const [meanX, meanN] = [sumX / area, sumN / area];
  for (let k = from; k < end; k++) {
    squaresX += (x[k] - meanX) * (x[k] - meanX);
    squaresN += (noise[k] - meanN) * (noise[k] - meanN);
  }
  const most = Math.min(squaresX, 1.25 * 1.25 * sigma * sigma * area);
  const mostMean = (5 * sigma) / Math.sqrt(area);
  if (squaresN <= most && Math.abs(meanN) <= mostMean) return;
  const factor = squaresN > most ? Math.sqrt(most / squaresN) : 1;
  const kept = Math.max(-mostMean, Math.min(mostMean, meanN));
  for (let k = from; k < end; k++) noise[k] = kept + factor * (noise[k] - meanN);
}

function meanOf(values: Float32Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function withContrast(image: GreyImage, centre: number, factor: number): GreyImage {
  if (factor === 1) return image;
  return { ...image, pixels: image.pixels.map((value) => centre + factor * (value - centre)) };
}

function upperLeft(
  image: GreyImage,
  { width, height }: Pick<GreyImage, "width" | "height">,
): GreyImage {
  if (image.width === width && image.height === height) return image;
  const pixels = Float32Array.from(
    { length: width * height },
    (_, k) => image.pixels[Math.floor(k / width) * image.width + (k % width)],
  );
  return { width, height, pixels };
}

function checkOptions(options: DenoisingOptions, { size, removeMean }: PatchLayout): void {
  checkFields("the options", options, optionFields);
  const { sigma, stride = 1, bounded = true, patchesAtOnce = 1 } = options;
  checkSigma(sigma);
  // Farther apart, they would leave pixels out.
  if (!Number.isInteger(stride) || stride < 1 || stride > size) {
    throw expected("stride", `be an integer from 1 to ${size}, the side of a patch`, stride);
  }
  if (typeof bounded !== "boolean") throw expected("bounded", "be true or false", bounded);
  if (!Number.isInteger(patchesAtOnce) || patchesAtOnce < 1) {
    throw expected("patchesAtOnce", "be a positive integer", patchesAtOnce);
  }
  if (removeMean) throw expected("the model", "be one of patches with their mean", "one without");
}

/** Where patches begin that cover every pixel: on a grid, and along the right and the lower edge. */
function coveringCorners({ width, height }: GreyImage, size: number, stride: number): Uint32Array {
  const [lefts, tops] = [starts(width, size, stride), starts(height, size, stride)];
  const corners = new Uint32Array(lefts.length * tops.length);
  let k = 0;
  for (const top of tops) for (const left of lefts) corners[k++] = top * width + left;
  return corners;
}

function starts(length: number, size: number, stride: number): number[] {
  const last = length - size;
  const onGrid = Array.from({ length: Math.floor(last / stride) + 1 }, (_, k) => k * stride);
  return last % stride === 0 ? onGrid : [...onGrid, last];
}

function patchesAt(
  { pixels, width }: GreyImage,
  corners: Uint32Array,
  layout: PatchLayout,
): Float32Array {
  const area = layout.size * layout.size;
  const patches = new Float32Array(corners.length * area);
  corners.forEach((corner, k) => {
    copyPatch(pixels, width, corner, layout, patches, k * area);
  });
  return patches;
}

/** The mean of what all patches say of a pixel: added up in the order of the patches, however they are cut into chunks. */
class OverlapAverage {
  readonly #sums: Float64Array;
  readonly #counts: Uint32Array;

  constructor(
    private readonly shape: Pick<GreyImage, "width" | "height">,
    private readonly size: number,
  ) {
    this.#sums = new Float64Array(shape.width * shape.height);
    this.#counts = new Uint32Array(this.#sums.length);
  }

  add(corners: Uint32Array, patches: FloatArray): void {
    const { size, shape } = this;
    let from = 0;
    for (const corner of corners) {
      for (let row = 0; row < size; row++) {
        const start = corner + row * shape.width;
        for (let at = start; at < start + size; at++) {
          this.#sums[at] += patches[from++];
          this.#counts[at]++;
        }
      }
    }
  }

  image(): GreyImage {
    const { width, height } = this.shape;
    const pixels = new Float32Array(this.#sums.length);
    for (let k = 0; k < pixels.length; k++) pixels[k] = this.#sums[k] / this.#counts[k];
    return { width, height, pixels };
  }
}
