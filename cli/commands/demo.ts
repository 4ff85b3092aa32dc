/** `gaussianize demo`: ICA-MG and GDN fitted to synthetic scenes, nothing needed but the package. */
import { type Command, InvalidArgumentError } from "commander";
import {
  type GdnForm,
  type GdnParameters,
  type GreyImage,
  type TaskRunner,
  createRandom,
  deadLeaves,
  fitGdn,
  gaussianize,
  negentropyDifference,
  patchMosaic,
  randomPatches,
  startingParameters,
  zcaWhitening,
} from "../../src/index.js";
import { openRunner, requireWritable, writePng } from "../../node/index.js";
import type { Effects } from "../effects.js";
import { Progress } from "../progress.js";

interface DemoOptions {
  readonly steps: number;
  readonly seed: number;
  readonly workers?: number;
  readonly output?: string;
  readonly json?: true;
}

const patchSize = 8;
const dimension = patchSize * patchSize;
const sceneSize = 201;
const batchSize = 256;
const testPatches = 20_000;
/** Standard deviation of the noise added to patches of standard deviation 1: flat areas have no density without it. */
const noiseLevel = 0.05;

const models: readonly { readonly name: string; readonly form: GdnForm; readonly about: string }[] =
  [
    { name: "ICA-MG", form: "diagonal", about: "filters, each normalized by itself" },
    { name: "GDN", form: "column", about: "filters, normalized by each other" },
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
    .option("--steps <n>", "steps of each fit", positiveInteger, 1500)
    .option("--seed <n>", "seed of scenes, patches and noise", wholeNumber, 1)
    .option("--workers <n>", "worker threads, 0 to 1024 (default: one per core)", workerCount)
    .option("-o, --output <file>", "write a PNG: a scene and the fitted filters", pngName)
    .option("--json", "print the results as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  gaussianize demo\n  gaussianize demo --steps 300 -o demo.png\n  gaussianize demo --json --seed 7\n",
    )
    .action((options: DemoOptions) => demo(options, effects));
}

async function demo(options: DemoOptions, effects: Effects): Promise<void> {
  const { seed, steps, workers, output } = options;
  // Before the work, not after it.
  if (output !== undefined) await requireWritable(output);
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
    const results: Result[] = [];
    let fitted: GdnParameters | undefined;
    for (const model of models) {
      const { result, parameters } = await fitModel(model, runner, data, steps, effects);
      results.push(result);
      fitted = parameters;
      if (!options.json) effects.stdout.write(line(result));
    }
    if (options.json) {
      effects.stdout.write(`${JSON.stringify({ seed, steps, testPatches, results }, null, 2)}\n`);
    } else {
      effects.stdout.write(
        "\nΔJ: change of negentropy (paper eq. 4) on scenes not fitted to; lower is more Gaussian.\n",
      );
    }
    if (output !== undefined && fitted?.H) {
      await writePng(output, picture(data.scene, fitted.H));
      effects.stderr.write(`Wrote ${output}: a scene, and the 64 filters of the GDN.\n`);
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
    // Greys are uniform in [0, 1): mean ½, standard deviation √(1/12).
    return values.map((v) => (v - 0.5) * Math.sqrt(12) + noiseLevel * stream.normal());
  };
  return {
    scene: training[0],
    H: zcaWhitening(patches(training, "whitening", 0, 20_000), dimension),
    batchAt: (step) => patches(training, "batch", step, batchSize),
    test: patches(held, "evaluation", 0, testPatches),
  };
}

async function fitModel(
  { name, form, about }: (typeof models)[number],
  runner: TaskRunner,
  { H, batchAt, test }: Data,
  steps: number,
  effects: Effects,
): Promise<{ result: Result; parameters: GdnParameters }> {
  const progress = new Progress(effects, `${name}: step`, steps);
  const { parameters, rejectedSteps } = await fitGdn(
    runner,
    startingParameters(form, H, dimension),
    {
      steps,
      batchAt,
      onStep: (step, meanLogProb) => {
        progress.report(step + 1, `log p ${meanLogProb.toFixed(2)} nats,`);
      },
    },
  );
  const seconds = progress.finish();
  const difference = negentropyDifference(test, await gaussianize(runner, parameters, test));
  const negentropyDifferencePerPixel = difference.inNatsPerDimension;
  return {
    result: { model: name, about, negentropyDifferencePerPixel, rejectedSteps, seconds },
    parameters,
  };
}

function line({ model, about, negentropyDifferencePerPixel: difference, seconds }: Result): string {
  const value = difference.toFixed(3).replace("-", "−");
  return `${model.padEnd(7)} ΔJ ${value} nats per pixel ${seconds.toFixed(1).padStart(6)} s   ${about}\n`;
}

/** The scene on the left, the filters (rows of H) on the right. */
function picture(scene: GreyImage, H: ArrayLike<number>): GreyImage {
  const filters = patchMosaic(H, { size: patchSize, columns: 8, zoom: 3 });
  const gap = 8;
  const width = scene.width + gap + filters.width;
  const height = Math.max(scene.height, filters.height);
  const pixels = new Float32Array(width * height).fill(1);
  const place = (image: GreyImage, left: number): void => {
    for (let row = 0; row < image.height; row++) {
      const source = image.pixels.subarray(row * image.width, (row + 1) * image.width);
      pixels.set(source, row * width + left);
    }
  };
  place(scene, 0);
  place(filters, scene.width + gap);
  return { width, height, pixels };
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError("It must be a whole number, 0 or more.");
  }
  return value;
}

function workerCount(text: string): number {
  const value = wholeNumber(text);
  if (value > 1024) throw new InvalidArgumentError("It must be at most 1024.");
  return value;
}

function pngName(text: string): string {
  if (!text.toLowerCase().endsWith(".png")) throw new InvalidArgumentError("It must end in .png.");
  return text;
}

function positiveInteger(text: string): number {
  const value = wholeNumber(text);
  if (value < 1) throw new InvalidArgumentError("It must be at least 1.");
  return value;
}
