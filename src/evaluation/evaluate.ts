/** The log-likelihood of images, one after the other, while the next one is decoded. */
import type { Density } from "../density/density.js";
import { requireReading } from "../density/model-files/model-reading.js";
import { isImageModel } from "../density/model-files/model.js";
import { GaussianizeError, checkFields, expected } from "../errors.js";
import { PatchEvaluator } from "./evaluate-patches.js";
import { WholeImageEvaluator } from "./evaluate-whole-images.js";
import type { Evaluation, EvaluationOptions, ImageEvaluation, Totals } from "./evaluation.js";
import { type ImageInTurn, type ImageSource, imagesInTurn, numberOf } from "./images-in-turn.js";

const optionFields = [
  "patches",
  "grid",
  "seed",
  "patchesAtOnce",
  "onScores",
  "fileSizesOf",
  "signal",
  "onProgress",
] as const;

/** Evaluates patches, or whole images. */
interface Evaluator {
  readonly preprocessingStages: number;
  readonly isWanted: (index: number) => boolean;
  evaluate(turn: ImageInTurn): Promise<ImageEvaluation>;
  totals(): Totals;
}

/**
 * Returns log-likelihood and ΔJ of patches of images, or of whole images, read as the model
 * requires. An image set of `openImageSet` is a source. The results are bit-identical for any
 * number of workers.
 *
 *     const { bitsPerPixel } = await evaluate(density, set, { patches: 20_000 });
 *
 * @throws GaussianizeError if the model is not a model of images, or no image can be used
 */
export async function evaluate(
  density: Density,
  source: ImageSource,
  options: EvaluationOptions = {},
): Promise<Evaluation> {
  checkOptions(source, options);
  const { model, kind, dimension } = density;
  const reading = requireReading(model);
  const runner = await density.runner();
  const evaluator: Evaluator = isImageModel(model)
    ? new WholeImageEvaluator(runner, model, options)
    : new PatchEvaluator(runner, model, source, options);
  const images: ImageEvaluation[] = [];
  for await (const turn of imagesInTurn(source, evaluator.isWanted, options.signal)) {
    images.push(await evaluator.evaluate(turn));
  }
  if (images.length === 0) {
    throw new GaussianizeError(
      "unusable-images",
      `None of the ${numberOf(source)} images can be used.`,
    );
  }
  return {
    kind,
    dimension,
    dequantization: reading.dequantize ? "uniform" : "none",
    preprocessingStages: evaluator.preprocessingStages,
    ...evaluator.totals(),
    images,
  };
}

function checkOptions(source: ImageSource, options: EvaluationOptions): void {
  checkFields("the options", options, optionFields);
  const images = numberOf(source);
  const { patches = 1, grid = 1, patchesAtOnce = 1 } = options;
  for (const [name, value] of Object.entries({ images, patches, grid, patchesAtOnce })) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw expected(name, "be a positive integer", value);
    }
  }
  if (options.patches !== undefined && options.grid !== undefined) {
    throw expected("patches", "be undefined if grid is given", options.patches);
  }
}
