/** `gaussianize sample MODEL`: draws from the density of a model. */
import type { Command } from "commander";
import type { Density, DensitySampleOptions } from "../../src/density/density.js";
import type { AnyModel, ModelAbout } from "../../src/density/model-files/model.js";
import { encodeNpz } from "../../src/density/model-files/npz.js";
import { GaussianizeError, UsageError } from "../../src/errors.js";
import { sampleMosaic } from "../../src/figures/sample-mosaic.js";
import type { GreyPixels } from "../../src/images/grey-image.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import { thousands } from "../../src/numbers/format-number.js";
import { writeAtomically } from "../../node/write-atomically.js";
import { writePng } from "../../node/figures.js";
import type { Effects } from "../effects.js";
import {
  openModel,
  refuseOptions,
  requireCount,
  requireOutput,
  requirePatches,
} from "../model-files.js";
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
import { cropped } from "../pictures.js";
import { Progress } from "../progress.js";

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

/**
 * Numbers in memory: arrays are held about six times, texts and pictures are larger than what they
 * show.
 */
const mostInArray = 2 ** 26;
const mostInText = 2 ** 23;

async function draw(path: string, options: SampleOptions, effects: Effects): Promise<void> {
  const { seed, output, json } = options;
  if (output === undefined && !json) {
    throw new UsageError("Where should the samples go? Give -o <file>, or --json.");
  }
  await requireOutput(output, path);
  await using density = await openModel(path, options);
  const plan = planOf(density, path, options);
  await requireDensity(density, path);
  const progress = new Progress(effects, "sample", plan.count);
  const drawn = await density.sample(plan.count, {
    seed,
    ...plan.choice,
    onProgress: (done) => {
      progress.report(done);
    },
  });
  progress.finish();
  const x = valuesOf(drawn);
  if (output !== undefined) await write(output, x, density.model, plan);
  if (json) {
    const everything = { model: path, seed, ...plan.told, x: nested(x, plan.shape) };
    effects.stdout.write(`${JSON.stringify(everything)}\n`);
  }
  if (output === undefined) return;
  const tails = tailsOf(x, density.model.about);
  effects.stderr.write(`Wrote ${output}: ${plan.what}${tails}.\n`);
}

/** What is asked for, and how it is told. */
interface Plan {
  readonly count: number;
  readonly choice: DensitySampleOptions;
  /** Of all samples: count×N, or count×height×width. */
  readonly shape: readonly number[];
  /** Beside the samples in --json. */
  readonly told: object;
  readonly what: string;
}

/** Refuses what a model cannot draw, or the memory cannot hold, before anything is computed. */
function planOf(density: Density, path: string, options: SampleOptions): Plan {
  refuseOptions(density, path, options, { patches: ["temperature"], images: ["size"] });
  const isPicture = options.output !== undefined && hasEnding(options.output, ".png");
  const isText = isPicture || options.json === true;
  if (density.kind === "images") return planOfImages(density, options, isText);
  const { count = 25, temperature } = options;
  const { dimension } = density;
  if (isText) requireCount("-n, --count", count, dimension, mostInText, " and .png or JSON");
  else requireCount("-n, --count", count, dimension, mostInArray);
  if (isPicture) requirePatches(density, path, "write .npz instead of .png");
  return {
    count,
    choice: temperature === undefined ? {} : { temperature },
    shape: [count, dimension],
    told: { temperature, dimension },
    what: `${count} samples`,
  };
}

const usualSide = 256;

function planOfImages({ dimension }: Density, options: SampleOptions, isText: boolean): Plan {
  const { count = 1 } = options;
  const stride = Math.sqrt(dimension);
  const usual = Math.max(1, Math.round(usualSide / stride)) * stride;
  const { width, height } = options.size ?? { width: usual, height: usual };
  if (width % stride !== 0 || height % stride !== 0) {
    throw new UsageError(
      `--size must be multiples of the stride of the model, ${stride}; received ${width}x${height}`,
    );
  }
  const [most, form] = isText ? [mostInText, " in .png or JSON"] : [mostInArray, ""];
  if (count * width * height > most) {
    throw new UsageError(
      `--size and -n, --count must ask for at most ${thousands(most)} pixels${form}; received ${thousands(count * width * height)}`,
    );
  }
  const images = count === 1 ? "1 image" : `${thousands(count)} images`;
  return {
    count,
    choice: { size: { width, height } },
    shape: [count, height, width],
    told: { width, height },
    what: `${images} of ${width}×${height} pixels`,
  };
}

/** Whether few normal vectors happen to have preimages is no question of luck. */
async function requireDensity(density: Density, path: string): Promise<void> {
  const { invertible } = await density.verify();
  if (invertible) return;
  throw new GaussianizeError(
    "not-invertible",
    `${path} is not onto: there is no density to draw from (see "gaussianize verify ${path}").`,
  );
}

/** All samples in one array. */
function valuesOf(drawn: FloatArray | readonly GreyPixels[]): FloatArray {
  if (!Array.isArray(drawn)) return drawn as FloatArray;
  const images = drawn as readonly GreyPixels[];
  const x = new Float32Array(images.reduce((sum, { pixels }) => sum + pixels.length, 0));
  images.forEach(({ pixels }, k) => {
    x.set(pixels, k * pixels.length);
  });
  return x;
}

async function write(
  output: string,
  x: FloatArray,
  model: AnyModel,
  { count, shape, choice: { size } }: Plan,
): Promise<void> {
  if (!hasEnding(output, ".png")) {
    await writeAtomically(output, encodeNpz({ x: { values: x, shape } }));
    return;
  }
  const sheet = sampleMosaic(x, model, { ...size });
  // One whole image as it is, everything else with lines between and around.
  const isOne = size && count === 1;
  await writePng(output, isOne ? cropped(sheet, { left: 1, top: 1, ...size }) : sheet);
}

/** Rows within rows, as in .npz. */
function nested(x: FloatArray, [count, ...shape]: readonly number[]): unknown[] {
  const size = x.length / count;
  return Array.from({ length: count }, (_, k) => {
    const part = x.subarray(k * size, (k + 1) * size);
    return shape.length === 1 ? Array.from(part) : nested(part, shape);
  });
}

/** Densities of images have heavy tails, of which a picture shows nothing. */
function tailsOf(x: FloatArray, { patch }: ModelAbout): string {
  const { black, white } = patch ?? {};
  if (black === undefined || white === undefined) return "";
  let outside = 0;
  for (const value of x) if (value < black || value > white) outside++;
  if (outside === 0) return "";
  const share = ((100 * outside) / x.length).toPrecision(2);
  return `, ${share} % of the values beyond black (${black}) or white (${white})`;
}
