/** `gaussianize evaluate MODEL IMAGES…`: how likely images are under a model. */
import { type Command, Option } from "commander";
import {
  type Evaluation,
  type EvaluationOptions,
  GaussianizeError,
  type ImageReading,
  type Model,
  evaluateImages,
  gridPatchCount,
  isImageModel,
  requireReading,
} from "../../src/index.js";
import {
  type ImageSet,
  type SkippedImage,
  openImageSet,
  openRunner,
  readModel,
} from "../../node/index.js";
import type { Effects } from "../effects.js";
import { evaluationText } from "../evaluation-text.js";
import { refusePatchOptions } from "../model-files.js";
import { titleOf } from "../model-summary.js";
import { inputFile, inputFiles, wholeNumber, workerCount } from "../options.js";
import { imagesAt } from "../passed-over.js";
import { Progress, whileLooking } from "../progress.js";
import { oneLine, thousands } from "../text.js";
import { evaluateWhole } from "../whole-images/evaluate.js";
import { blocksOfModel } from "../whole-images/verify.js";

interface EvaluateOptions {
  readonly patches?: number;
  /** A stride, or the flag alone. */
  readonly grid?: number | true;
  readonly seed: number;
  readonly strict?: true;
  readonly workers?: number;
  readonly json?: true;
}

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Says how likely patches of images, or whole images, are under the density of a model, in nats and in bits per pixel, and how much more Gaussian it makes them (ΔJ). Images are read as the model was fitted. Ends with exit code 1 where a patch or an image has no density.",
    )
    .argument("<model>", "a model file (.safetensors)", inputFile)
    .argument("<images...>", "pictures: files, folders, tar archives, globs, @lists", inputFiles)
    .option(
      "--patches <n>",
      "patches at random places, of all images (default: 100,000)",
      wholeNumber(1),
    )
    .addOption(
      new Option(
        "--grid [stride]",
        "instead all patches on a grid, so many pixels apart (default: side by side)",
      )
        .argParser(wholeNumber(1))
        .conflicts("patches"),
    )
    .option(
      "--seed <n>",
      "seed of the places, and of the noise that spreads codes",
      wholeNumber(0),
      1,
    )
    .option("--strict", "fail on images that cannot be used, rather than leave them out")
    .option("--workers <n>", "worker threads, 0 to 1024 (default: one per core)", workerCount)
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  gaussianize evaluate gdn.safetensors photos/\n  gaussianize evaluate gdn.safetensors bsds300/test --patches 1000000 --seed 7\n  gaussianize evaluate gdn.safetensors photo.png --grid 4\n  gaussianize evaluate gdn.safetensors photos/ --json | jq .bitsPerPixel\n",
    )
    .action((path: string, patterns: readonly string[], options: EvaluateOptions) =>
      evaluate(path, patterns, options, effects),
    );
}

async function evaluate(
  path: string,
  patterns: readonly string[],
  options: EvaluateOptions,
  effects: Effects,
): Promise<void> {
  const { seed, workers, strict = false } = options;
  const model = await readModel(path);
  if (isImageModel(model)) refusePatchOptions(path, options, ["patches", "grid"]);
  const reading = requireReading(model, path);
  // As it was when the model was fitted, where that was asked for.
  const removeSaturated = model.about.preprocessing?.removeSaturated === true;
  const paths = await imagesAt(patterns, effects);
  const set = await whileLooking(effects, paths.length, (onProgress) =>
    openImageSet(paths, reading, {
      ...{ strict, seed, removeSaturated, onProgress },
      ...(isImageModel(model) && { pieces: blocksOfModel }),
    }),
  );
  if (isImageModel(model)) {
    const done = evaluateWhole(path, model, set, options, effects);
    return done.finally(() => {
      tellSkipped(set, effects);
    });
  }
  const runner = await openRunner(workers === undefined ? {} : { workers });
  try {
    const places = placesOf(set, reading, options);
    const progress = new Progress(effects, "evaluate", places.total);
    const result = await evaluateImages(runner, model, {
      images: set.images.length,
      load: set.load,
      seed,
      nameOf: set.nameOf,
      ...places.choice,
      onProgress: (done) => {
        progress.report(done);
      },
    });
    progress.finish();
    print(path, model, set, result, options, effects);
    tellSkipped(set, effects);
    requireDensity(path, result);
  } finally {
    await runner.close();
  }
}

interface Places {
  readonly choice: Pick<EvaluationOptions, "patches" | "grid">;
  /** How many there will be, if all images can be used. */
  readonly total: number;
}

function placesOf(
  { images }: ImageSet,
  { layout: { size } }: ImageReading,
  { patches = 100_000, grid }: EvaluateOptions,
): Places {
  if (grid === undefined) return { choice: { patches }, total: patches };
  const stride = grid === true ? size : grid;
  const total = images.reduce((sum, image) => sum + gridPatchCount(image, size, stride), 0);
  return { choice: { grid: stride }, total };
}

function print(
  path: string,
  model: Model,
  { images, skipped }: ImageSet,
  result: Evaluation,
  { seed, grid, json }: EvaluateOptions,
  { stdout }: Effects,
): void {
  const pathOf = (index: number): string => images[index].path;
  if (json) {
    const { images: ofImages, ...totals } = result;
    const named = ofImages.map(({ index, ...image }) => ({ path: pathOf(index), ...image }));
    const everything = { model: path, ...totals, seed, images: named, skipped };
    stdout.write(`${JSON.stringify(everything, null, 2)}\n`);
  } else {
    const text = evaluationText(result, pathOf, grid === undefined ? seed : undefined);
    stdout.write(`${titleOf(path, model)}\n\n${text}\n`);
  }
}

function tellSkipped({ skipped }: ImageSet, { stderr }: Effects): void {
  if (skipped.length > 0) stderr.write(skippedText(skipped));
}

const shownReasons = 3;

/** How many were left out, and why the first of them. */
function skippedText(skipped: readonly SkippedImage[]): string {
  const count = skipped.length === 1 ? "1 image" : `${thousands(skipped.length)} images`;
  const reasons = skipped.slice(0, shownReasons).map(({ reason }) => `  ${oneLine(reason)}`);
  const more = skipped.length - reasons.length;
  const rest = more > 0 ? [`  … and ${thousands(more)} more`] : [];
  return `${[`Left out ${count}:`, ...reasons, ...rest].join("\n")}\n`;
}

function requireDensity(path: string, { failedPatches, patches }: Evaluation): void {
  if (failedPatches === 0) return;
  throw new GaussianizeError(
    `${path} has no density at ${thousands(failedPatches)} of ${thousands(patches)} patches, which are not in the means (see "gaussianize verify").`,
  );
}
