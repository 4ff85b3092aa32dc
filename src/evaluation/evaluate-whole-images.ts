/**
 * The log-likelihood of whole images, one after the other. For an image x of P pixels, with x' the
 * output of the stages that the model file declares as preprocessing:
 *
 *   log p(x) = −½‖y‖² − (P/2) log 2π + log |det ∂y/∂x'| + log |det ∂x'/∂x|     paper eq. (1)
 *   ΔJ       = ½‖y‖² − log |det ∂y/∂x'| − ½‖x'‖²                               paper eq. (4)
 *
 * Each image is cropped around its centre to sides that are multiples of the stride. Convolutions
 * join opposite edges (a fit's crops do not): where the edges do not match, the image is a little
 * less likely than its interior.
 */
import { energyOf, gaussianizeImage } from "../density/images/image-density.js";
import { logProbOf } from "../density/induced-density.js";
import { requireReading } from "../density/model-files/model-reading.js";
import type { ImageModel } from "../density/model-files/model.js";
import { GaussianizeError, expected } from "../errors.js";
import { type GreyImage, type GreyPixels, centralCrop } from "../images/grey-image.js";
import { standardErrorOfMeans, weightedMean } from "../numbers/means.js";
import type { TaskRunner } from "../parallel/job.js";
import type { ImageReading } from "../patches/image-reading.js";
import { codesOf } from "../preprocessing/dequantize.js";
import { type Field, fieldToImage, imageToField } from "../transforms/field.js";
import {
  type ImageCascade,
  imageCascade,
  requireImageCascade,
} from "../transforms/image-cascade.js";
import {
  type EvaluationOptions,
  type FileSizes,
  type ImageEvaluation,
  type Likelihood,
  type Totals,
  preprocessingStagesOf,
  ratesOf,
} from "./evaluation.js";
import type { EvaluationImage, ImageInTurn } from "./images-in-turn.js";
import { hasCodes, logWidthsOf } from "./patch-code-widths.js";

export class WholeImageEvaluator {
  private readonly reading: ImageReading;
  readonly preprocessingStages: number;
  private readonly stride: number;
  private readonly preprocessing: ImageCascade | null;
  private readonly rest: ImageCascade | null;
  private readonly images: WholeImage[] = [];

  constructor(
    private readonly runner: TaskRunner,
    model: ImageModel,
    private readonly options: EvaluationOptions,
  ) {
    this.reading = requireReading(model);
    const { stride, stages } = requireImageCascade(model.transform);
    const count = preprocessingStagesOf(model, stages.length);
    const part = (from: number, to: number): ImageCascade | null =>
      from < to ? imageCascade({ stride, stages: stages.slice(from, to) }) : null;
    this.stride = stride;
    this.preprocessingStages = count;
    this.preprocessing = part(0, count);
    this.rest = part(count, stages.length);
  }

  readonly isWanted = (): boolean => true;

  async evaluate({ index, image: whole }: ImageInTurn): Promise<ImageEvaluation> {
    const image = cropToBlocks(whole, this.stride, `image ${index}`);
    const { width, height } = image;
    const [x, y] = [Math.floor((whole.width - width) / 2), Math.floor((whole.height - height) / 2)];
    const likelihood = await this.likelihoodOf(image, whole);
    const hasDensity = likelihood.failure === null;
    const fileBitsPerPixel = hasDensity ? await this.fileBitsPerPixel(image, whole) : null;
    const logProb = Float64Array.of(likelihood.meanLogLikelihood);
    const corner = { x: Int32Array.of(x), y: Int32Array.of(y) };
    this.options.onScores?.({ index, ...corner, width, height, logProb });
    this.images.push({ pixels: width * height, likelihood, fileBitsPerPixel });
    this.options.onProgress?.(this.images.length);
    return { index, ...likelihood, part: { x, y, width, height }, fileBitsPerPixel };
  }

  /** Returns null unless the image has 8-bit codes and the model dequantises. */
  private async fileBitsPerPixel(
    { width, height, pixels }: GreyImage,
    whole: EvaluationImage,
  ): Promise<FileSizes | null> {
    const { fileSizesOf } = this.options;
    const { levels = Infinity, spacing = "none" } = whole;
    if (!fileSizesOf || levels !== codesOfByte || !hasCodes(whole, this.reading)) return null;
    const codes = Uint8Array.from(codesOf(pixels, { levels, spacing }));
    const sizes = await fileSizesOf({ width, height, codes });
    const inBits = Object.entries(sizes).map(([name, bytes]) => [
      name,
      (8 * bytes) / pixels.length,
    ]);
    return Object.fromEntries(inBits) as FileSizes;
  }

  private async likelihoodOf(
    image: GreyImage,
    whole: EvaluationImage,
  ): Promise<Likelihood & { readonly failure: string | null }> {
    const found = await this.densityOf(image);
    const failure = typeof found === "string" ? found : null;
    const nats = typeof found === "string" ? noDensity : found;
    // Widths are summed block by block: pixels may come in any order.
    const logWidths = failure === null ? logWidthsOf(image.pixels, whole, this.reading) : null;
    const codes = logWidths?.reduce((sum, value) => sum + value, nats.logProb);
    return {
      samples: 1,
      failedSamples: failure === null ? 0 : 1,
      ...ratesOf(image.pixels.length, { ...nats, codeLength: codes === undefined ? null : -codes }),
      failure,
    };
  }

  /** Returns the reason as a sentence if the image has no density. */
  private async densityOf(image: GreyPixels): Promise<string | typeof noDensity> {
    try {
      const before = await this.pass(this.preprocessing, image);
      const after = await this.pass(this.rest, fieldToImage(before.y));
      const logDeterminant = before.logDeterminant + after.logDeterminant;
      const energy = energyOf(after.y);
      const logProb = logProbOf(energy, logDeterminant, image.pixels.length);
      if (!Number.isFinite(logProb)) return "Its density is beyond the range of numbers.";
      return { logProb, negentropyDifference: energy - after.logDeterminant - energyOf(before.y) };
    } catch (error) {
      if (error instanceof GaussianizeError) return error.message;
      throw error;
    }
  }

  private async pass(
    cascade: ImageCascade | null,
    image: GreyPixels,
  ): Promise<{ readonly y: Field; readonly logDeterminant: number }> {
    if (!cascade) return { y: imageToField(image, this.stride), logDeterminant: 0 };
    const { signal } = this.options;
    return gaussianizeImage(this.runner, cascade, image, signal && { signal });
  }

  /** Means over pixels, not over images. */
  totals(): Totals {
    const used = this.images.filter(({ likelihood }) => likelihood.failedSamples === 0);
    const pixels = used.map((image) => image.pixels);
    return {
      samples: this.images.length,
      failedSamples: this.images.length - used.length,
      values: pixels.reduce((sum, count) => sum + count, 0),
      ...ratesOver(used, weightedMean),
      standardErrors: ratesOver(used, standardErrorOfMeans),
      standardErrorsOver: "images",
      fileBitsPerPixel: meanSizes(used),
    };
  }
}

const codesOfByte = 256;

interface WholeImage {
  readonly pixels: number;
  readonly likelihood: Likelihood;
  readonly fileBitsPerPixel: FileSizes | null;
}

/** Returns the formats that all images have, with the mean over all pixels. */
function meanSizes(images: readonly WholeImage[]): FileSizes | null {
  const sizes = images.map((image) => image.fileBitsPerPixel).filter((each) => each !== null);
  if (sizes.length === 0 || sizes.length < images.length) return null;
  const common = Object.keys(sizes[0]).filter((name) => sizes.every((each) => name in each));
  if (common.length === 0) return null;
  const pixels = images.map((image) => image.pixels);
  return Object.fromEntries(
    common.map((name) => [
      name,
      weightedMean(
        sizes.map((each) => each[name]),
        pixels,
      ),
    ]),
  );
}

const noDensity = { logProb: NaN, negentropyDifference: NaN };

/** `of` (a mean or its standard error) for each rate, with the pixels of an image as its weight. */
function ratesOver(
  used: readonly WholeImage[],
  of: (values: readonly number[], weights: readonly number[]) => number,
): Totals["standardErrors"] {
  const weights = used.map(({ pixels }) => pixels);
  const each = (key: keyof Likelihood, by = weights): number =>
    of(
      used.map(({ likelihood }) => likelihood[key] ?? NaN),
      by,
    );
  const hasCodes = used.every(({ likelihood }) => likelihood.codeLengthInBitsPerPixel !== null);
  return {
    meanLogLikelihood: each(
      "meanLogLikelihood",
      weights.map(() => 1),
    ),
    natsPerDimension: each("natsPerDimension"),
    bitsPerPixel: each("bitsPerPixel"),
    codeLengthInBitsPerPixel: hasCodes ? each("codeLengthInBitsPerPixel") : null,
    negentropyDifferencePerDimension: each("negentropyDifferencePerDimension"),
  };
}

/** Crops an image around its centre to a whole number of blocks. */
export function cropToBlocks(image: GreyImage, stride: number, name = "the image"): GreyImage {
  const { width, height } = image;
  for (const [side, value] of Object.entries({ width, height })) {
    if (value >= stride) continue;
    throw expected(`the ${side} of ${name}`, `be at least the stride, ${stride}`, value);
  }
  return centralCrop(image, {
    width: width - (width % stride),
    height: height - (height % stride),
  });
}
