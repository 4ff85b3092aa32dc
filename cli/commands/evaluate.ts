/** `gaussianize evaluate MODEL… IMAGES…`: how likely images are under a model, or under several. */
import { type Command, Option } from "commander";
import { piecesOf } from "../../src/density/model-files/model-reading.js";
import { encodeNpz } from "../../src/density/model-files/npz.js";
import { UsageError } from "../../src/errors.js";
import { openImageSet } from "../../node/image-set.js";
import { writeAtomically } from "../../node/write-atomically.js";
import { thousands } from "../../src/numbers/format-number.js";
import type { ImageSet, SkippedImage } from "../../src/patches/image-set.js";
import type { Effects } from "../effects.js";
import { type Evaluated, evaluateModel, requireDensity } from "../evaluate/evaluated.js";
import {
  type NamedDensity,
  haveSamePieces,
  openModels,
  separateModels,
} from "../evaluate/models.js";
import { type PrintOptions, printOne, printSeveral } from "../evaluate/print.js";
import { type Rows, arraysOfRows } from "../evaluate/rows.js";
import { refuseOptions, requireOutput } from "../model-files.js";
import { inputFile, inputFiles, outputFile, wholeNumber, workerCount } from "../options.js";
import { imagesAt } from "../passed-over.js";
import { whileLooking } from "../progress.js";
import { oneLine } from "../text.js";

interface EvaluateOptions extends PrintOptions {
  readonly npz?: string;
  readonly strict?: boolean;
  readonly workers?: number;
}

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Says how likely patches of images, or whole images, are under the density of a model, in nats and in bits per pixel, and how much more Gaussian it makes them (ΔJ). Several models are compared on the same patches, with the difference from the first one. Images are read as the models were fitted. Ends with exit code 1 where a patch or an image has no density.",
    )
    .usage("<model> [more models...] <images...> [options]")
    .argument("<model>", "a model file (.safetensors)", inputFile)
    .argument(
      "<images...>",
      "pictures: files, folders, tar archives, globs, @lists; names that end in .safetensors are further models",
      inputFiles,
    )
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
    .option("--npz <file>", "write log p of every patch, and where it is", outputFile(".npz"))
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  gaussianize evaluate gdn.safetensors photos/\n  gaussianize evaluate gdn.safetensors bsds300/test --patches 1000000 --seed 7\n  gaussianize evaluate gdn.safetensors photo.png --grid 4\n  gaussianize evaluate gdn.safetensors ica.safetensors photos/\n  gaussianize evaluate gdn.safetensors photos/ --npz scores.npz\n  gaussianize evaluate gdn.safetensors photos/ --json | jq .bitsPerPixel\n",
    )
    .action((path: string, others: readonly string[], options: EvaluateOptions) =>
      evaluate(path, others, options, effects),
    );
}

async function evaluate(
  first: string,
  others: readonly string[],
  options: EvaluateOptions,
  effects: Effects,
): Promise<void> {
  const { paths, patterns } = separateModels(first, others);
  for (const path of paths) await requireOutput(options.npz, path);
  const models = await openModels(paths, options);
  try {
    await evaluateAll(models, patterns, options, effects);
  } finally {
    for (const { density } of models) await density.close();
  }
}

async function evaluateAll(
  models: readonly NamedDensity[],
  patterns: readonly string[],
  options: EvaluateOptions,
  effects: Effects,
): Promise<void> {
  if (models.every(({ density }) => density.kind === "images")) {
    const [{ density, path }] = models;
    refuseOptions(density, path, options, { patches: ["patches", "grid"] });
  }
  const isSame = haveSamePieces(models);
  if (options.npz !== undefined && !isSame) {
    throw new UsageError(
      "--npz is for models of the same patches; these have patches of different sizes.",
    );
  }
  const set = await openImages(models, patterns, options, effects);
  const wantsRows = options.npz !== undefined || (isSame && models.length > 1);
  const evaluated: Evaluated[] = [];
  // The same seed gives all of them the same places and the same noise.
  for (const [k, model] of models.entries()) {
    const label = models.length === 1 ? "evaluate" : `evaluate model ${k + 1} of ${models.length}`;
    evaluated.push(await evaluateModel(model, { set, options, wantsRows, effects, label }));
  }
  const [alone, ...more] = evaluated;
  if (more.length === 0) printOne(alone, set, options, effects.stdout);
  else printSeveral(evaluated, isSame, set, options, effects.stdout);
  if (options.npz !== undefined) await writeRows(options.npz, evaluated, set, effects);
  if (set.skipped.length > 0) effects.stderr.write(skippedText(set.skipped));
  evaluated.forEach(requireDensity);
}

/** Images with room for the pieces of all models, read as all of them read images. */
async function openImages(
  models: readonly NamedDensity[],
  patterns: readonly string[],
  { strict = false, seed }: EvaluateOptions,
  effects: Effects,
): Promise<ImageSet> {
  const { reading, density } = models.reduce((largest, each) =>
    each.reading.layout.size > largest.reading.layout.size ? each : largest,
  );
  // As it was when the models were fitted, where that was asked for.
  const removeSaturated = models.some(
    ({ density: { model } }) => model.about.preprocessing?.removeSaturated === true,
  );
  const paths = await imagesAt(patterns, effects);
  return whileLooking(effects, paths.length, (onProgress) =>
    openImageSet(paths, reading, {
      strict,
      seed,
      removeSaturated,
      onProgress,
      pieces: piecesOf(density.model),
    }),
  );
}

async function writeRows(
  npz: string,
  evaluated: readonly Evaluated[],
  { images }: ImageSet,
  { stderr }: Effects,
): Promise<void> {
  const rows = evaluated.map((each) => each.rows as Rows);
  const names = {
    models: evaluated.map(({ path }) => path),
    images: images.map(({ path }) => path),
  };
  await writeAtomically(npz, encodeNpz(arraysOfRows(rows, names)));
  const count = rows[0].logProb.length;
  const { kind } = evaluated[0].density;
  const one = kind === "patches" ? "patch" : "image";
  stderr.write(`Wrote ${npz}: log p of ${thousands(count)} ${count === 1 ? one : kind}.\n`);
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
