/** Prints the results of `gaussianize evaluate`: one model, a table of several, or JSON. */
import type { ImageEvaluation, Totals } from "../../src/evaluation/evaluation.js";
import type { ImageSet } from "../../src/patches/image-set.js";
import type { Output } from "../effects.js";
import { titleOf } from "../inspect/model-summary.js";
import { comparisonText, differencesOf } from "./comparison.js";
import type { Evaluated, EvaluatedOptions } from "./evaluated.js";
import { evaluationText } from "./text.js";

export interface PrintOptions extends EvaluatedOptions {
  readonly json?: true;
}

type Images = Pick<ImageSet, "images" | "skipped">;

export function printOne(
  evaluated: Evaluated,
  set: Images,
  { seed, grid, json }: PrintOptions,
  stdout: Output,
): void {
  if (json) {
    const { images, ...totals } = asJson(evaluated, set);
    printJson({ ...totals, seed, images, skipped: set.skipped }, stdout);
    return;
  }
  const { path, density, result } = evaluated;
  const pathOf = (index: number): string => set.images[index].path;
  const text = evaluationText(result, pathOf, grid === undefined ? seed : undefined);
  stdout.write(`${titleOf(path, density.model)}\n\n${text}\n`);
}

/** `isSame`: whether all models have the same patches, or the same parts of whole images. */
export function printSeveral(
  evaluated: readonly Evaluated[],
  isSame: boolean,
  set: Images,
  { seed, grid, json }: PrintOptions,
  stdout: Output,
): void {
  const differences = differencesOf(evaluated, isSame);
  if (json) {
    const models = evaluated.map((each) => asJson(each, set));
    const { skipped } = set;
    printJson({ models, samePatches: isSame, differences, seed, skipped }, stdout);
    return;
  }
  const places = grid === undefined ? seed : undefined;
  stdout.write(`${comparisonText(evaluated, differences, isSame, places)}\n`);
}

/** Returns the JSON of one model; models of patches and of whole images have different names. */
function asJson({ path, result }: Evaluated, { images }: Images) {
  const { kind, dimension, dequantization, preprocessingStages } = result;
  const pathOf = ({ index }: ImageEvaluation) => ({ path: images[index].path });
  if (kind === "images") {
    return {
      model: path,
      dequantization,
      preprocessingStages,
      pixels: result.values,
      ...ratesOfPixels(result),
      standardErrors: ratesOfPixels(result.standardErrors),
      fileBitsPerPixel: result.fileBitsPerPixel,
      failedImages: result.failedSamples,
      images: result.images.map((image) => ({ ...pathOf(image), ...wholeImage(image) })),
    };
  }
  const { meanLogLikelihood, bitsPerPixel, ...errors } = result.standardErrors;
  const { codeLengthInBitsPerPixel, negentropyDifferencePerDimension } = errors;
  return {
    model: path,
    dimension,
    dequantization,
    preprocessingStages,
    ...patchesOf(result),
    standardErrors: {
      meanLogLikelihood,
      bitsPerPixel,
      codeLengthInBitsPerPixel,
      negentropyDifferencePerDimension,
    },
    standardErrorsOver: result.standardErrorsOver,
    images: result.images.map((image) => ({ ...pathOf(image), ...patchesOf(image) })),
  };
}

function patchesOf(likelihood: Totals | ImageEvaluation) {
  return {
    patches: likelihood.samples,
    failedPatches: likelihood.failedSamples,
    meanLogLikelihood: likelihood.meanLogLikelihood,
    natsPerDimension: likelihood.natsPerDimension,
    bitsPerPixel: likelihood.bitsPerPixel,
    codeLengthInBitsPerPixel: likelihood.codeLengthInBitsPerPixel,
    negentropyDifferencePerDimension: likelihood.negentropyDifferencePerDimension,
  };
}

function wholeImage(image: ImageEvaluation) {
  const { width = 0, height = 0 } = image.part ?? {};
  return {
    ...image.part,
    pixels: width * height,
    logLikelihood: image.meanLogLikelihood,
    ...ratesOfPixels(image),
    fileBitsPerPixel: image.fileBitsPerPixel,
    failure: image.failure,
  };
}

function ratesOfPixels(of: Totals["standardErrors"]) {
  return {
    natsPerPixel: of.natsPerDimension,
    bitsPerPixel: of.bitsPerPixel,
    codeLengthInBitsPerPixel: of.codeLengthInBitsPerPixel,
    negentropyDifferencePerPixel: of.negentropyDifferencePerDimension,
  };
}

function printJson(everything: object, stdout: Output): void {
  stdout.write(`${JSON.stringify(everything, null, 2)}\n`);
}
