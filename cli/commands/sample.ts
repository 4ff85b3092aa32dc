/** `gaussianize sample MODEL`: draws from the density of a model. */
import type { Command } from "commander";
import {
  type FloatArray,
  GaussianizeError,
  type Model,
  type TaskRunner,
  UsageError,
  encodeNpz,
  isImageModel,
  sample,
  sampleMosaic,
  verify,
} from "../../src/index.js";
import { openRunner, readModel, writeAtomically, writePng } from "../../node/index.js";
import type { Effects } from "../effects.js";
import { requireCount, requireOutput, requirePatches } from "../model-files.js";
import {
  type ImageSize,
  hasEnding,
  imageSize,
  inputFile,
  outputFile,
  positiveNumber,
  wholeNumber,
  workerCount,
} from "../options.js";
import { Progress } from "../progress.js";
import { tailsOf } from "../sample-display.js";
import { drawImages } from "../whole-images/sample.js";

interface SampleOptions {
  readonly count?: number;
  readonly size?: ImageSize;
  readonly seed: number;
  readonly temperature?: number;
  readonly workers?: number;
  readonly output?: string;
  readonly json?: true;
}

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Draws samples from the density of a model, patches or whole images: as a picture, as numbers for numpy, or as JSON.",
    )
    .argument("<model>", "a model file (.safetensors)", inputFile)
    .option("-n, --count <n>", "number of samples (default: 25; 1 of whole images)", wholeNumber(1))
    .option(
      "--size <WxH>",
      "of whole images, in pixels: multiples of the stride (default: 256x256)",
      imageSize,
    )
    .option("--seed <n>", "the same seed gives the same samples", wholeNumber(0), 1)
    .option(
      "--temperature <t>",
      "scales the normal vectors that patches are made of: below 1 without the tails of the density (default: 1)",
      positiveNumber,
    )
    .option(
      "-o, --output <file>",
      "a picture (.png) or an array `x` (.npz)",
      outputFile(".png", ".npz"),
    )
    .option("--workers <n>", "worker threads, 0 to 1024 (default: one per core)", workerCount)
    .option("--json", "print the samples as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  gaussianize sample gdn.safetensors -n 25 --seed 1 -o samples.png\n  gaussianize sample gdn.safetensors -n 100000 -o samples.npz\n  gaussianize sample gdn.safetensors -n 3 --json\n  gaussianize sample cascade.safetensors --size 512x384 -o image.png\n",
    )
    .action((path: string, options: SampleOptions) => draw(path, options, effects));
}

/** Numbers in memory: arrays are held about six times, texts and pictures are larger than what they show. */
const mostInArray = 2 ** 26;
const mostInText = 2 ** 23;

async function draw(path: string, options: SampleOptions, effects: Effects): Promise<void> {
  const { count = 25, seed, temperature = 1, workers, output, json } = options;
  if (output === undefined && !json) {
    throw new UsageError("Where should the samples go? Give -o <file>, or --json.");
  }
  await requireOutput(output, path);
  const model = await readModel(path);
  if (isImageModel(model)) {
    if (options.temperature === undefined) return drawImages(path, model, options, effects);
    throw new UsageError(`--temperature is for models of patches; ${path} is one of whole images`);
  }
  if (options.size) {
    throw new UsageError(`--size is for models of whole images; ${path} is one of patches`);
  }
  const isPicture = output !== undefined && hasEnding(output, ".png");
  if (isPicture || json) requireCount("-n, --count", count, model, mostInText, " and .png or JSON");
  else requireCount("-n, --count", count, model, mostInArray);
  if (isPicture) requirePatches(model, path, "write .npz instead of .png");
  const runner = await openRunner(workers === undefined ? {} : { workers });
  try {
    await requireDensity(runner, model, path);
    const progress = new Progress(effects, "sample", count);
    const x = await sample(runner, model.transform, count, seed, {
      temperature,
      onProgress: (done) => {
        progress.report(done);
      },
    });
    progress.finish();
    if (output !== undefined) {
      if (isPicture) await writePng(output, sampleMosaic(x, model));
      else await writeAtomically(output, npzOf(x, model, count));
    }
    if (json) printJson(x, model, path, { ...options, count }, effects);
    if (output !== undefined) {
      effects.stderr.write(`Wrote ${output}: ${count} samples${tailsOf(x, model.about)}.\n`);
    }
  } finally {
    await runner.close();
  }
}

/** Whether few normal vectors happen to have preimages is no question of luck. */
async function requireDensity(runner: TaskRunner, model: Model, path: string): Promise<void> {
  const { invertible } = await verify(runner, model.transform, null);
  if (invertible) return;
  throw new GaussianizeError(
    `${path} is not onto: there is no density to draw from (see "gaussianize verify ${path}").`,
  );
}

function printJson(
  x: FloatArray,
  { transform: { dimension } }: Model,
  model: string,
  { count, seed, temperature }: SampleOptions & { readonly count: number },
  { stdout }: Effects,
): void {
  const rows = Array.from({ length: count }, (_, s) =>
    Array.from(x.subarray(s * dimension, (s + 1) * dimension)),
  );
  stdout.write(`${JSON.stringify({ model, seed, temperature, dimension, x: rows })}\n`);
}

function npzOf(x: FloatArray, { transform: { dimension } }: Model, count: number): Uint8Array {
  return encodeNpz({ x: { values: x, shape: [count, dimension] } });
}
