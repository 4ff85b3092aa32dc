/** `gaussianize verify MODEL [IMAGES…]`: what is proven and what was observed about the invertibility of a model. */
import type { Command } from "commander";
import {
  type FloatArray,
  GaussianizeError,
  type ImageReading,
  type Model,
  type TaskRunner,
  type Verification,
  createRandom,
  isImageModel,
  patchesToSamples,
  randomPatches,
  sample,
  verify,
} from "../../src/index.js";
import { type ImageSet, openImageSet, openRunner, readModel } from "../../node/index.js";
import type { Effects } from "../effects.js";
import { requireCount, requirePatches } from "../model-files.js";
import { titleOf } from "../model-summary.js";
import { inputFile, inputFiles, wholeNumber, workerCount } from "../options.js";
import { imagesAt } from "../passed-over.js";
import { Progress } from "../progress.js";
import { wrapped } from "../text.js";
import { verifyWhole } from "../whole-images/verify.js";

interface VerifyOptions {
  readonly samples: number;
  readonly seed: number;
  readonly workers?: number;
  readonly json?: true;
}

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Says what is proven about the invertibility of a model, and what its Jacobian looks like on data: patches of images, or samples of the model itself. Of a model of whole images also its round trip, its log-determinant by another way, and singular values. Ends with exit code 1 where the model is not invertible.",
    )
    .argument("<model>", "a model file (.safetensors)", inputFile)
    .argument(
      "[images...]",
      "pictures to take patches from: files, folders, tar archives, globs",
      inputFiles,
    )
    .option(
      "--samples <n>",
      "number of patches or samples; of whole images, locations of each",
      wholeNumber(1),
      1000,
    )
    .option("--seed <n>", "seed of the choice of patches or samples", wholeNumber(0), 1)
    .option("--workers <n>", "worker threads, 0 to 1024 (default: one per core)", workerCount)
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  gaussianize verify gdn.safetensors\n  gaussianize verify gdn.safetensors photo1.png photo2.jpg --samples 5000\n  gaussianize verify gdn.safetensors --json | jq .certified\n",
    )
    .action((path: string, images: readonly string[], options: VerifyOptions) =>
      check(path, images, options, effects),
    );
}

/** What the memory surely holds, several times over. */
const mostValues = 2 ** 26;

async function check(
  path: string,
  images: readonly string[],
  options: VerifyOptions,
  effects: Effects,
): Promise<void> {
  const { workers, seed } = options;
  const model = await readModel(path);
  if (isImageModel(model)) return verifyWhole(path, model, images, options, effects);
  requireCount("--samples", options.samples, model, mostValues);
  const patches = images.length > 0 && requirePatches(model, path, "leave out the images");
  const runner = await openRunner(workers === undefined ? {} : { workers });
  try {
    const data = patches
      ? await dataOf(images, patches, options, effects)
      : await ownData(runner, model, options, effects);
    const progress = new Progress(effects, "verify", options.samples);
    const result = await verify(runner, model.transform, data.x, {
      onProgress: (done) => {
        progress.report(done);
      },
    });
    progress.finish();
    if (options.json) {
      const everything = { model: path, data: data.source, seed, ...result };
      effects.stdout.write(`${JSON.stringify(everything, null, 2)}\n`);
    } else {
      const { proven, observed, notes } = result;
      const seen = [`Data: ${data.source}.`, ...observed, ...notes];
      const paragraphs = [proven, seen].map((sentences) =>
        sentences.map((sentence) => wrapped(sentence)).join("\n"),
      );
      effects.stdout.write(`${[titleOf(path, model), ...paragraphs].join("\n\n")}\n`);
    }
    requireInvertible(path, result);
  } finally {
    await runner.close();
  }
}

function requireInvertible(
  path: string,
  { invertible, failedSamples, samples }: Verification,
): void {
  if (!invertible)
    throw new GaussianizeError(`${path} is not invertible, so that it induces no density.`);
  if (failedSamples === 0) return;
  throw new GaussianizeError(
    `${path} has no density at ${failedSamples} of ${samples} samples: a pivot is not positive.`,
  );
}

interface Data {
  readonly x: FloatArray | null;
  readonly source: string;
}

async function dataOf(
  images: readonly string[],
  reading: ImageReading,
  options: VerifyOptions,
  effects: Effects,
): Promise<Data> {
  const paths = await imagesAt(images, effects);
  const { seed } = options;
  const set = await openImageSet(paths, reading, { strict: true, seed });
  const count = set.images.length;
  const files = count === 1 ? set.images[0].path : `${count} images`;
  return { x: await patchesOf(set, reading, options), source: `patches of ${files}` };
}

/** Read as the model was fitted: pixels with their noise, patches without their mean, where the model says so. */
async function patchesOf(
  set: ImageSet,
  { layout }: ImageReading,
  { samples, seed }: VerifyOptions,
): Promise<FloatArray> {
  const images = set.images.length;
  // Equally many of each image, of which one at a time is in memory.
  const order = createRandom(seed, "verify").permutation(images);
  const patches = new Float32Array(samples * (layout.size * layout.size));
  let filled = 0;
  for (let k = 0; k < Math.min(images, samples); k++) {
    const image = await set.load(order[k], 0);
    if (!image) continue;
    const count = Math.ceil((samples - k) / images);
    const random = createRandom(seed, "verify", order[k]);
    const part = randomPatches(random, [image], layout.size, count);
    patches.set(part, filled);
    filled += part.length;
  }
  return patchesToSamples(patches.subarray(0, filled), layout);
}

/** Samples of the model, where it has any. */
async function ownData(
  runner: TaskRunner,
  model: Model,
  options: VerifyOptions,
  effects: Effects,
): Promise<Data> {
  const { invertible } = await verify(runner, model.transform, null);
  if (!invertible) return { x: null, source: "none, since the model has no samples" };
  const x = await ownSamples(runner, model, options, effects);
  return { x, source: "samples of the model itself" };
}

function ownSamples(
  runner: TaskRunner,
  { transform }: Model,
  { samples, seed }: VerifyOptions,
  effects: Effects,
): Promise<FloatArray> {
  const progress = new Progress(effects, "sample", samples);
  const drawn = sample(runner, transform, samples, seed, {
    onProgress: (done) => {
      progress.report(done);
    },
  });
  return drawn.finally(() => progress.finish());
}
