/** `gaussianize demo`: ICA-MG and GDN fitted to synthetic scenes, nothing needed but the package. */
import { createHash } from "node:crypto";
import type { Command } from "commander";
import {
  type FitHistory,
  type Gdn,
  type GdnStructure,
  type GreyImage,
  type Model,
  type TaskRunner,
  affine,
  cascade,
  createRandom,
  deadLeaves,
  fitTransform,
  negentropyDifference,
  patchMosaic,
  randomPatches,
  sideBySide,
  startingGdn,
  zcaWhitening,
} from "../../src/index.js";
import { openRunner, requireWritable, writeModel, writePng } from "../../node/index.js";
import type { Effects } from "../effects.js";
import { outputFile, wholeNumber, workerCount } from "../options.js";
import { Progress } from "../progress.js";

interface DemoOptions {
  readonly steps: number;
  readonly seed: number;
  readonly workers?: number;
  readonly output?: string;
  readonly save?: string;
  readonly json?: true;
}

const patchSize = 8;
const dimension = patchSize * patchSize;
const sceneSize = 201;
const batchSize = 256;
const testPatches = 20_000;
/** Standard deviation of the noise added to patches of standard deviation 1: flat areas have no density without it. */
const noiseLevel = 0.05;

const models: readonly {
  readonly name: string;
  readonly structure: GdnStructure;
  readonly about: string;
}[] = [
  { name: "ICA-MG", structure: "marginal", about: "filters, each normalized by itself" },
  { name: "GDN", structure: "column", about: "filters, normalized by each other" },
];

interface Result {
  readonly model: string;
  readonly about: string;
  readonly negentropyDifferencePerPixel: number;
  readonly rejectedSteps: number;
  readonly seconds: number;
}

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Fits two densities to 8×8 patches of synthetic scenes (dead leaves) and compares them. Takes half a minute.",
    )
    .option("--steps <n>", "steps of each fit", wholeNumber(1), 1500)
    .option("--seed <n>", "seed of scenes, patches and noise", wholeNumber(0), 1)
    .option("--workers <n>", "worker threads, 0 to 1024 (default: one per core)", workerCount)
    .option(
      "-o, --output <file>",
      "write a PNG: a scene and the fitted filters",
      outputFile(".png"),
    )
    .option("--save <file>", "write the fitted GDN as a model file", outputFile(".safetensors"))
    .option("--json", "print the results as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  gaussianize demo\n  gaussianize demo --steps 300 -o demo.png\n  gaussianize demo --save gdn.safetensors\n  gaussianize demo --json --seed 7\n",
    )
    .action((options: DemoOptions) => demo(options, effects));
}

async function demo(options: DemoOptions, effects: Effects): Promise<void> {
  const { seed, steps, workers, output, save } = options;
  // Before the work, not after it.
  for (const file of [output, save]) if (file !== undefined) await requireWritable(file);
  const runner = await openRunner({
    callerWorks: true,
    ...(workers === undefined ? {} : { workers }),
  });
  try {
    const data = makeData(seed);
    if (!options.json) {
      effects.stdout.write(
        `8×8 patches of synthetic scenes, ${runner.size} ${runner.size === 1 ? "thread" : "threads"}, seed ${seed}, ${steps} steps of ${batchSize} patches\n\n`,
      );
    }
    const fits: ModelFit[] = [];
    for (const model of models) {
      const fit = await fitModel(model, runner, data, steps, effects);
      fits.push(fit);
      if (!options.json) effects.stdout.write(line(fit.result));
    }
    if (options.json) {
      const results = fits.map(({ result }) => result);
      effects.stdout.write(`${JSON.stringify({ seed, steps, testPatches, results }, null, 2)}\n`);
    } else {
      effects.stdout.write(
        "\nΔJ: change of negentropy (paper eq. 4) on scenes not fitted to; lower is more Gaussian.\n",
      );
    }
    const best = fits[fits.length - 1];
    const { layer } = best;
    if (output !== undefined && layer.H) {
      await writePng(output, picture(data.scene, layer.H));
      effects.stderr.write(`Wrote ${output}: a scene, and the 64 filters of the GDN.\n`);
    }
    if (save !== undefined) {
      await writeModel(save, modelOf(best, data, options));
      effects.stderr.write(`Wrote ${save}: the GDN; see "gaussianize inspect ${save}".\n`);
    }
  } finally {
    await runner.close();
  }
}

interface Data {
  readonly scene: GreyImage;
  readonly H: Float64Array;
  readonly batchAt: (step: number) => Float32Array;
  readonly test: Float32Array;
  /** SHA-256 of the pixels that were fitted to. */
  readonly hash: string;
}

/** Scenes are fitted and tested on different images; each step's patches depend on its number only. */
function makeData(seed: number): Data {
  const random = createRandom(seed, "demo");
  const scenes = (purpose: string, count: number): GreyImage[] =>
    Array.from({ length: count }, (_, k) =>
      deadLeaves(random.stream(purpose, k), {
        width: sceneSize,
        height: sceneSize,
        smallestRadius: 3,
      }),
    );
  const [training, held] = [scenes("training", 24), scenes("test", 8)];
  const patches = (images: readonly GreyImage[], purpose: string, k: number, count: number) => {
    const stream = random.stream(purpose, k);
    const values = randomPatches(stream, images, patchSize, count);
    return values.map((v) => (v - greyMean) * greyScale + noiseLevel * stream.normal());
  };
  return {
    scene: training[0],
    H: zcaWhitening(patches(training, "whitening", 0, 20_000), dimension),
    batchAt: (step) => patches(training, "batch", step, batchSize),
    test: patches(held, "evaluation", 0, testPatches),
    hash: hashOf(training),
  };
}

function hashOf(scenes: readonly GreyImage[]): string {
  const hash = createHash("sha256");
  for (const { pixels } of scenes) hash.update(pixels);
  return `sha256:${hash.digest("hex")}`;
}

interface ModelFit {
  readonly result: Result;
  readonly layer: Gdn;
  readonly history: FitHistory;
}

async function fitModel(
  { name, structure, about }: (typeof models)[number],
  runner: TaskRunner,
  { H, batchAt, test }: Data,
  steps: number,
  effects: Effects,
): Promise<ModelFit> {
  const progress = new Progress(effects, `${name}: step`, steps);
  const start = startingGdn({ structure, dimension, H });
  const { transform, rejectedSteps, history } = await fitTransform(runner, start, {
    steps,
    batchAt,
    onStep: (step, meanLogProb) => {
      progress.report(step + 1, `log p ${meanLogProb.toFixed(2)} nats,`);
    },
  });
  const seconds = progress.finish();
  const difference = await negentropyDifference(runner, transform, test);
  const negentropyDifferencePerPixel = difference.inNatsPerDimension;
  return {
    result: { model: name, about, negentropyDifferencePerPixel, rejectedSteps, seconds },
    layer: transform,
    history,
  };
}

/** Greys are uniform in [0, 1): mean ½, standard deviation √(1/12). */
const greyMean = 0.5;
const greyScale = Math.sqrt(12);

/** With the scaling of the greys as its first stage, so that its samples are greys from 0 to 1. */
function modelOf(
  { layer, result, history }: ModelFit,
  { hash }: Data,
  { seed, steps }: DemoOptions,
): Model {
  const standardize = affine({
    dimension,
    scale: new Float32Array(dimension).fill(greyScale),
    shift: new Float32Array(dimension).fill(-greyMean * greyScale),
  });
  return {
    transform: cascade([standardize, layer]),
    about: {
      name: result.model,
      patch: { width: patchSize, height: patchSize, black: 0, white: 1 },
      preprocessing: { noiseStandardDeviation: noiseLevel / greyScale },
      data: { description: "8×8 patches of synthetic scenes (dead leaves)", hash },
      seed,
      training: { steps, batch: batchSize, history },
      figures: { negentropyDifferenceInNatsPerPixel: result.negentropyDifferencePerPixel },
    },
  };
}

function line({ model, about, negentropyDifferencePerPixel: difference, seconds }: Result): string {
  const value = difference.toFixed(3).replace("-", "−");
  return `${model.padEnd(7)} ΔJ ${value} nats per pixel ${seconds.toFixed(1).padStart(6)} s   ${about}\n`;
}

/** The scene on the left, the filters (rows of H) on the right. */
function picture(scene: GreyImage, H: ArrayLike<number>): GreyImage {
  return sideBySide([scene, patchMosaic(H, { size: patchSize, columns: 8, zoom: 3 })]);
}
