/** `gaussianize verify MODEL [IMAGES…]`: what is proven and what was observed about the invertibility of a model. */
import type { Command } from "commander";
import {
  type FloatArray,
  GaussianizeError,
  type GreyImage,
  type Model,
  type TaskRunner,
  type Verification,
  createRandom,
  randomPatches,
  sample,
  verify,
} from "../../src/index.js";
import { decodeImage, findImages, openRunner, readModel } from "../../node/index.js";
import type { Effects } from "../effects.js";
import { requireCount, requirePatches } from "../model-files.js";
import { titleOf } from "../model-summary.js";
import { inputFile, inputFiles, wholeNumber, workerCount } from "../options.js";
import { Progress } from "../progress.js";
import { wrapped } from "../text.js";

interface VerifyOptions {
  readonly samples: number;
  readonly seed: number;
  readonly workers?: number;
  readonly json?: true;
}

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Says what is proven about the invertibility of a model, and what its Jacobian looks like on data: patches of images, or samples of the model itself. Ends with exit code 1 where the model is not invertible.",
    )
    .argument("<model>", "a model file (.safetensors)", inputFile)
    .argument("[images...]", "pictures to take patches from: files, folders, globs", inputFiles)
    .option("--samples <n>", "number of patches or samples", wholeNumber(1), 1000)
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
  requireCount("--samples", options.samples, model, mostValues);
  if (images.length > 0) requirePatches(model, path, "leave out the images");
  const runner = await openRunner(workers === undefined ? {} : { workers });
  try {
    const data = await dataFor(runner, images, model, options, effects);
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
      const { proven, observed } = result;
      const seen = [`Data: ${data.source}.`, ...observed];
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

/** Patches of the images, or samples of the model where it has any. */
async function dataFor(
  runner: TaskRunner,
  images: readonly string[],
  model: Model,
  options: VerifyOptions,
  effects: Effects,
): Promise<Data> {
  if (images.length > 0) {
    const paths = await findImages(images);
    const files = paths.length === 1 ? paths[0] : `${paths.length} images`;
    const x = await patchesOf(paths, model, options);
    return { x, source: `patches of ${files}` };
  }
  const { invertible } = await verify(runner, model.transform, null);
  if (!invertible) return { x: null, source: "none, since the model has no samples" };
  const x = await ownSamples(runner, model, options, effects);
  return { x, source: "samples of the model itself" };
}

async function patchesOf(
  paths: readonly string[],
  { about: { patch } }: Model,
  { samples, seed }: VerifyOptions,
): Promise<FloatArray> {
  const images: GreyImage[] = [];
  const side = patch?.width ?? 1;
  for (const path of paths) {
    const image = await decodeImage(path, patch?.luminance ?? "grey");
    const { width, height } = image;
    if (Math.min(width, height) < side) {
      throw new GaussianizeError(
        `Expected ${path} to be at least ${side}×${side} pixels, the size of the patches, but received ${width}×${height}.`,
      );
    }
    // .iml files count up to their white; models of pixels know 0 to 1.
    const { white } = image;
    images.push(white === 1 ? image : { ...image, pixels: image.pixels.map((v) => v / white) });
  }
  return randomPatches(createRandom(seed, "verify"), images, side, samples);
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
