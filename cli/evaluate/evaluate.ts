/** The work of `gaussianize evaluate`: likelihood of images under one model, or under several. */
import { piecesOf } from "../../src/density/model-files/model-reading.js";
import { encodeNpz } from "../../src/density/model-files/npz.js";
import { UsageError } from "../../src/errors.js";
import { openImageSet } from "../../node/image-set.js";
import { writeAtomically } from "../../node/write-atomically.js";
import { thousands } from "../../src/numbers/format-number.js";
import type { ImageSet, SkippedImage } from "../../src/patches/image-set.js";
import type { Effects } from "../effects.js";
import { refuseOptions, requireOutput } from "../model-files.js";
import { whileOpening } from "../progress.js";
import { imagesAt } from "../skipped-files.js";
import { counted, oneLine } from "../text.js";
import { type Evaluated, arraysOfRows, evaluateModel, requireDensity } from "./evaluated.js";
import { type NamedDensity, haveSamePieces, openModels, separateModels } from "./models.js";
import { type PrintOptions, printOne, printSeveral } from "./print.js";

export interface EvaluateOptions extends PrintOptions {
  readonly npz?: string;
  readonly strict?: boolean;
  readonly workers?: number;
}

export async function evaluate(
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
      "--npz needs models with patches of the same size; these have different sizes.",
    );
  }
  const set = await openImages(models, patterns, options, effects);
  const wantsRows = options.npz !== undefined || (isSame && models.length > 1);
  const evaluated: Evaluated[] = [];
  // The seed gives all models the same places and the same noise.
  for (const [k, model] of models.entries()) {
    const label = models.length === 1 ? "evaluate" : `evaluate model ${k + 1} of ${models.length}`;
    // The comparison of several models does not show the sizes of files.
    const wantsSizes = models.length === 1;
    const work = { set, options, wantsRows, wantsSizes, effects, label };
    evaluated.push(await evaluateModel(model, work));
  }
  const [alone, ...more] = evaluated;
  if (more.length === 0) printOne(alone, set, options, effects.stdout);
  else printSeveral(evaluated, isSame, set, options, effects.stdout);
  if (options.npz !== undefined) await writeRows(options.npz, evaluated, set, effects);
  if (set.skipped.length > 0) effects.stderr.write(skippedText(set.skipped));
  evaluated.forEach(requireDensity);
}

/** Opens the images that are large enough for all models. */
async function openImages(
  models: readonly NamedDensity[],
  patterns: readonly string[],
  { strict = false, seed }: EvaluateOptions,
  effects: Effects,
): Promise<ImageSet> {
  const { reading, density } = models.reduce((largest, each) =>
    each.reading.layout.size > largest.reading.layout.size ? each : largest,
  );
  const removeSaturated = models.some(
    ({ density: { model } }) => model.about.preprocessing?.removeSaturated === true,
  );
  const paths = await imagesAt(patterns, effects);
  return whileOpening(effects, paths.length, (onProgress) =>
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
  const rows = evaluated.map((each) => each.rows as NonNullable<Evaluated["rows"]>);
  const names = {
    models: evaluated.map(({ path }) => path),
    images: images.map(({ path }) => path),
  };
  await writeAtomically(npz, encodeNpz(arraysOfRows(rows, names)));
  const { kind } = evaluated[0].density;
  const what = counted(rows[0].logProb.length, kind === "patches" ? "patch" : "image", kind);
  stderr.write(`Wrote ${npz}: log p of ${what}.\n`);
}

const shownReasons = 3;

/** Counts the skipped images, with the reasons of the first ones. */
function skippedText(skipped: readonly SkippedImage[]): string {
  const reasons = skipped.slice(0, shownReasons).map(({ reason }) => `  ${oneLine(reason)}`);
  const more = skipped.length - reasons.length;
  const rest = more > 0 ? [`  … and ${thousands(more)} more`] : [];
  return `${[`Skipped ${counted(skipped.length, "image")}:`, ...reasons, ...rest].join("\n")}\n`;
}
