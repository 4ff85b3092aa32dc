/** `gaussianize verify MODEL [IMAGES…]`: what is proven and what was observed about the invertibility of a model. */
import type { Command } from "commander";
import {
  type FloatArray,
  GaussianizeError,
  type GreyImage,
  type Model,
  type TaskRunner,
  UsageError,
  type Verification,
  createRandom,
  randomPatches,
  sample,
  verify,
} from "../../src/index.js";
import { openRunner, readGreyImage, readModel } from "../../node/index.js";
import type { Effects } from "../effects.js";
import { thousands } from "../model-summary.js";
import { positiveInteger, wholeNumber, workerCount } from "../options.js";
import { Progress } from "../progress.js";

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
    .argument("<model>", "a model file (.safetensors)")
    .argument("[images...]", "pictures to take patches from")
    .option("--samples <n>", "number of patches or samples", positiveInteger, 1000)
    .option("--seed <n>", "seed of the choice of patches or samples", wholeNumber, 1)
    .option("--workers <n>", "worker threads, 0 to 1024 (default: one per core)", workerCount)
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  gaussianize verify gdn.safetensors\n  gaussianize verify gdn.safetensors photo1.png photo2.jpg --samples 5000\n  gaussianize verify gdn.safetensors --json | jq .certified\n",
    )
    .action((path: string, images: string[], options: VerifyOptions) =>
      check(path, images, options, effects),
    );
}

async function check(
  path: string,
  images: readonly string[],
  options: VerifyOptions,
  effects: Effects,
): Promise<void> {
  const { workers, seed } = options;
  const model = await readModel(path);
  if (images.length > 0) requirePatches(model, path);
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
      const lines = [...result.proven, `Data: ${data.source}.`, ...result.observed];
      effects.stdout.write(`${lines.join("\n")}\n`);
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
  if (!invertible) throw new GaussianizeError(`${path} is not invertible and induces no density.`);
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
  const count = thousands(options.samples);
  if (images.length > 0) {
    const files = images.length === 1 ? images[0] : `${images.length} images`;
    const x = await patchesOf(images, model, options);
    return { x, source: `${count} patches of ${files}` };
  }
  const { invertible } = await verify(runner, model.transform, null);
  if (!invertible) return { x: null, source: "none, since the model has no samples" };
  const x = await ownSamples(runner, model, options, effects);
  return { x, source: `${count} samples of the model itself` };
}

function requirePatches({ transform, about: { patch } }: Model, path: string): void {
  if (patch && patch.width === patch.height && patch.width ** 2 === transform.dimension) return;
  throw new UsageError(
    `${path} does not say how its ${transform.dimension} dimensions form a square patch; leave out the images.`,
  );
}

async function patchesOf(
  paths: readonly string[],
  { about: { patch } }: Model,
  { samples, seed }: VerifyOptions,
): Promise<FloatArray> {
  const images: GreyImage[] = [];
  for (const path of paths) images.push(await readGreyImage(path, patch?.luminance ?? "grey"));
  return randomPatches(createRandom(seed, "verify"), images, patch?.width ?? 1, samples);
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
