/**
 * How likely whole images are under a density of such, one after the other. For an image of P pixels, with x' what comes out of the
 * stages that the model's file calls preprocessing:
 *
 *   log p(x) = −½‖y‖² − (P/2) log 2π + log |det ∂y/∂x'| + log |det ∂x'/∂x|     paper eq. (1)
 *   ΔJ       = ½‖y‖² − log |det ∂y/∂x'| − ½‖x'‖²                               paper eq. (4), before the mean is taken
 *
 * Of each image the middle is taken, with sides that are multiples of the stride. Its edges are joined, unlike those of the crops of a
 * fit: where they do not continue each other, the image is a little less likely than what is within it.
 */
import { checkRunner } from "../density/batch-passes.js";
import { energyOf, gaussianizeImage } from "../density/images/image-density.js";
import { logProbOf } from "../density/induced-density.js";
import type { ImageModel } from "../density/model-files/model.js";
import { requireReading } from "../density/model-files/model-reading.js";
import { GaussianizeError, expected } from "../errors.js";
import { centralCrop } from "../images/central-crop.js";
import type { GreyImage, GreyPixels } from "../images/grey-image.js";
import type { TaskRunner } from "../parallel/job.js";
import type { ImageReading } from "../patches/image-reading.js";
import { checkFields } from "../transforms/checks.js";
import { type Field, fieldToImage, imageToField } from "../transforms/field.js";
import {
  type ImageCascade,
  imageCascade,
  requireImageCascade,
} from "../transforms/image-cascade.js";
import { type EvaluationImage, type ImageSource, imagesInTurn } from "./images-in-turn.js";
import { logWidthsOf } from "./patch-code-widths.js";
import { standardErrorOfMeans, weightedMean } from "./patch-tally.js";

export interface WholeImageEvaluationOptions extends ImageSource {
  /** Images that are done. */
  readonly onProgress?: (done: number) => void;
}

/** Means over pixels. */
export interface PixelLikelihood {
  readonly pixels: number;
  /** log p(x) by P … */
  readonly natsPerPixel: number;
  /** … and by P ln 2: the log-likelihood rate of values from 0 to 1. Higher is better. */
  readonly bitsPerPixel: number;
  /** What a lossless coder of the codes would need; null where the model is not one of codes, or a picture has none. Lower is better. */
  readonly codeLengthInBitsPerPixel: number | null;
  /** ΔJ/P, counted from the preprocessed data; in nats. */
  readonly negentropyDifferencePerPixel: number;
}

export interface WholeImageLikelihood extends PixelLikelihood {
  readonly index: number;
  /** Column and row where the part of the image begins that is evaluated, and its size. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** log p(x), in nats for the whole image; NaN, as are all means, where it has no density. */
  readonly logLikelihood: number;
  /** Why it has no density; null where it has one. */
  readonly failure: string | null;
}

export interface WholeImageEvaluation extends PixelLikelihood {
  readonly dequantization: "uniform" | "none";
  /** How many stages of the model ΔJ does not count: 0 means from the pixels on. */
  readonly preprocessingStages: number;
  /** Over images; NaN where there is but one. */
  readonly standardErrors: {
    readonly natsPerPixel: number;
    readonly bitsPerPixel: number;
    readonly codeLengthInBitsPerPixel: number | null;
    readonly negentropyDifferencePerPixel: number;
  };
  /** Images without a density, which are not in the means. */
  readonly failedImages: number;
  /** In their order. */
  readonly images: readonly WholeImageLikelihood[];
}

/**
 * Log-likelihood and ΔJ of whole images, read as the model says. Means count every pixel alike. The same bits for any number of workers.
 *
 * @throws GaussianizeError where no image can be used
 */
export async function evaluateWholeImages(
  runner: TaskRunner,
  model: ImageModel,
  options: WholeImageEvaluationOptions,
): Promise<WholeImageEvaluation> {
  checkRunner(runner);
  checkFields("the options", options, ["images", "load", "signal", "onProgress"]);
  if (!Number.isSafeInteger(options.images) || options.images < 1) {
    throw expected("images", "be a positive integer", options.images);
  }
  const scorer = new WholeImageScorer(runner, model);
  const images: WholeImageLikelihood[] = [];
  for await (const { index, image } of imagesInTurn(options)) {
    images.push(await scorer.score(index, image, options.signal));
    options.onProgress?.(images.length);
  }
  if (images.length === 0) {
    throw new GaussianizeError(`None of the ${options.images} images can be used.`);
  }
  const { dequantize } = scorer.reading;
  return {
    dequantization: dequantize ? "uniform" : "none",
    preprocessingStages: scorer.preprocessingStages,
    ...totalsOf(images),
    images,
  };
}

class WholeImageScorer {
  readonly reading: ImageReading;
  readonly preprocessingStages: number;
  private readonly stride: number;
  private readonly preprocessing: ImageCascade | null;
  private readonly rest: ImageCascade | null;

  constructor(
    private readonly runner: TaskRunner,
    model: ImageModel,
  ) {
    this.reading = requireReading(model);
    const { stride, stages } = requireImageCascade(model.transform);
    const count = model.about.preprocessing?.stages ?? 0;
    if (count > stages.length) {
      const rule = `be at most ${stages.length}, all of the cascade`;
      throw expected("about.preprocessing.stages", rule, count);
    }
    const part = (from: number, to: number): ImageCascade | null =>
      from < to ? imageCascade({ stride, stages: stages.slice(from, to) }) : null;
    this.stride = stride;
    this.preprocessingStages = count;
    this.preprocessing = part(0, count);
    this.rest = part(count, stages.length);
  }

  async score(
    index: number,
    whole: EvaluationImage,
    signal?: AbortSignal,
  ): Promise<WholeImageLikelihood> {
    const image = cropToBlocks(whole, this.stride, `image ${index}`);
    const { width, height, pixels } = image;
    const [x, y] = [Math.floor((whole.width - width) / 2), Math.floor((whole.height - height) / 2)];
    const size = { index, x, y, width, height, pixels: pixels.length };
    const found = await this.densityOf(image, signal);
    if (typeof found === "string") return { ...size, ...nothing, failure: found };
    const { logLikelihood, negentropyDifference } = found;
    const bits = pixels.length * Math.LN2;
    const codes = codeLogProb(logLikelihood, image, whole, this.reading);
    return {
      ...size,
      logLikelihood,
      natsPerPixel: logLikelihood / pixels.length,
      bitsPerPixel: logLikelihood / bits,
      codeLengthInBitsPerPixel: codes === null ? null : -codes / bits,
      negentropyDifferencePerPixel: negentropyDifference / pixels.length,
      failure: null,
    };
  }

  /** Or the sentence why there is none. */
  private async densityOf(image: GreyPixels, signal?: AbortSignal) {
    try {
      const before = await this.pass(this.preprocessing, image, signal);
      const after = await this.pass(this.rest, fieldToImage(before.y), signal);
      const logDeterminant = before.logDeterminant + after.logDeterminant;
      const energy = energyOf(after.y);
      const logLikelihood = logProbOf(energy, logDeterminant, image.pixels.length);
      if (!Number.isFinite(logLikelihood)) return "Its density is beyond the range of numbers.";
      const negentropyDifference = energy - after.logDeterminant - energyOf(before.y);
      return { logLikelihood, negentropyDifference };
    } catch (error) {
      if (error instanceof GaussianizeError) return error.message;
      throw error;
    }
  }

  private async pass(
    cascade: ImageCascade | null,
    image: GreyPixels,
    signal?: AbortSignal,
  ): Promise<{ readonly y: Field; readonly logDeterminant: number }> {
    if (!cascade) return { y: imageToField(image, this.stride), logDeterminant: 0 };
    return gaussianizeImage(this.runner, cascade, image, signal && { signal });
  }
}

const nothing = {
  logLikelihood: NaN,
  natsPerPixel: NaN,
  bitsPerPixel: NaN,
  codeLengthInBitsPerPixel: null,
  negentropyDifferencePerPixel: NaN,
};

/** The middle of an image, as many whole blocks as there are. */
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

/** log of the probability of the codes: that of the values, and Σ log code width. */
function codeLogProb(
  logLikelihood: number,
  { pixels }: GreyImage,
  codes: EvaluationImage,
  reading: ImageReading,
): number | null {
  // Widths are summed block by block: pixels may come in any order.
  const logWidths = logWidthsOf(pixels, codes, reading);
  return logWidths?.reduce((sum, value) => sum + value, logLikelihood) ?? null;
}

function totalsOf(images: readonly WholeImageLikelihood[]) {
  const used = images.filter(({ failure }) => failure === null);
  const weights = used.map(({ pixels }) => pixels);
  const hasCodes = used.every((image) => image.codeLengthInBitsPerPixel !== null);
  const over = (of: (values: readonly number[], weights: readonly number[]) => number) => {
    const each = (key: keyof PixelLikelihood): number =>
      of(
        used.map((image) => image[key] ?? NaN),
        weights,
      );
    return {
      natsPerPixel: each("natsPerPixel"),
      bitsPerPixel: each("bitsPerPixel"),
      codeLengthInBitsPerPixel: hasCodes ? each("codeLengthInBitsPerPixel") : null,
      negentropyDifferencePerPixel: each("negentropyDifferencePerPixel"),
    };
  };
  return {
    pixels: weights.reduce((sum, pixels) => sum + pixels, 0),
    ...over(weightedMean),
    standardErrors: over(standardErrorOfMeans),
    failedImages: images.length - used.length,
  };
}
