/** The output of `gaussianize evaluate`: one model in detail, several in a table, or JSON. */
import type { ImageSet } from "../../node/index.js";
import type { Output } from "../effects.js";
import { evaluationText } from "../evaluation-text.js";
import { titleOf } from "../model-summary.js";
import { wholeImagesText } from "../whole-images/evaluation-text.js";
import { comparisonText } from "./comparison-text.js";
import { differencesOf } from "./differences.js";
import type { Evaluated, EvaluatedOptions } from "./evaluated.js";

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
    const { images, ...totals } = withPaths(evaluated, set);
    printJson({ ...totals, seed, images, skipped: set.skipped }, stdout);
    return;
  }
  const { path, model } = evaluated;
  const pathOf = (index: number): string => set.images[index].path;
  const text =
    evaluated.kind === "patches"
      ? evaluationText(evaluated.result, pathOf, grid === undefined ? seed : undefined)
      : wholeImagesText(evaluated.result, pathOf, evaluated.reading.layout.size);
  stdout.write(`${titleOf(path, model)}\n\n${text}\n`);
}

/** `isSame`: whether all models had the same patches, or the same parts of whole images. */
export function printSeveral(
  evaluated: readonly Evaluated[],
  isSame: boolean,
  set: Images,
  { seed, grid, json }: PrintOptions,
  stdout: Output,
): void {
  const differences = differencesOf(evaluated, isSame);
  if (json) {
    const models = evaluated.map((each) => withPaths(each, set));
    const { skipped } = set;
    printJson({ models, samePatches: isSame, differences, seed, skipped }, stdout);
    return;
  }
  const places = grid === undefined ? seed : undefined;
  stdout.write(`${comparisonText(evaluated, differences, isSame, places)}\n`);
}

function withPaths({ path, result }: Evaluated, { images }: Images) {
  const { images: ofImages, ...totals } = result;
  const named = ofImages.map(({ index, ...image }) => ({ path: images[index].path, ...image }));
  return { model: path, ...totals, images: named };
}

function printJson(everything: object, stdout: Output): void {
  stdout.write(`${JSON.stringify(everything, null, 2)}\n`);
}
