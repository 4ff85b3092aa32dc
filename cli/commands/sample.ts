/** `gaussianize sample MODEL`: draws from the density of a model. */
import type { Command } from "commander";
import {
  type FloatArray,
  type GreyImage,
  type Model,
  UsageError,
  encodeNpz,
  patchMosaic,
  sample,
} from "../../src/index.js";
import {
  openRunner,
  readModel,
  requireWritable,
  writeAtomically,
  writePng,
} from "../../node/index.js";
import type { Effects } from "../effects.js";
import { fileName, positiveInteger, wholeNumber, workerCount } from "../options.js";
import { Progress } from "../progress.js";

interface SampleOptions {
  readonly count: number;
  readonly seed: number;
  readonly workers?: number;
  readonly output?: string;
  readonly json?: true;
}

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Draws samples from the density of a model: as a picture of patches, as numbers for numpy, or as JSON.",
    )
    .argument("<model>", "a model file (.safetensors)")
    .option("-n, --count <n>", "number of samples", positiveInteger, 25)
    .option("--seed <n>", "the same seed gives the same samples", wholeNumber, 1)
    .option(
      "-o, --output <file>",
      "a picture (.png) or an array `x` (.npz)",
      fileName(".png", ".npz"),
    )
    .option("--workers <n>", "worker threads, 0 to 1024 (default: one per core)", workerCount)
    .option("--json", "print the samples as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  gaussianize sample gdn.safetensors -n 25 --seed 1 -o samples.png\n  gaussianize sample gdn.safetensors -n 100000 -o samples.npz\n  gaussianize sample gdn.safetensors -n 3 --json\n",
    )
    .action((path: string, options: SampleOptions) => draw(path, options, effects));
}

async function draw(path: string, options: SampleOptions, effects: Effects): Promise<void> {
  const { count, seed, workers, output, json } = options;
  if (output === undefined && !json) {
    throw new UsageError("Where should the samples go? Give -o <file>, or --json.");
  }
  if (output !== undefined) await requireWritable(output);
  const model = await readModel(path);
  const n = model.transform.dimension;
  if (output?.endsWith(".png")) requirePatches(model, path);
  const runner = await openRunner(workers === undefined ? {} : { workers });
  try {
    const progress = new Progress(effects, "sample", count);
    const x = await sample(runner, model.transform, count, seed, {
      onProgress: (done) => {
        progress.report(done);
      },
    });
    progress.finish();
    if (json) {
      const rows = Array.from({ length: count }, (_, s) =>
        Array.from(x.subarray(s * n, (s + 1) * n)),
      );
      effects.stdout.write(`${JSON.stringify({ model: path, seed, dimension: n, x: rows })}\n`);
    }
    if (output === undefined) return;
    await write(output, x, model, count);
    effects.stderr.write(`Wrote ${output}: ${count} samples.\n`);
  } finally {
    await runner.close();
  }
}

function requirePatches({ transform, about: { patch } }: Model, path: string): void {
  if (patch?.width === patch?.height && patch && patch.width ** 2 === transform.dimension) return;
  throw new UsageError(
    `${path} does not say how its ${transform.dimension} dimensions form a square patch; write .npz instead of .png.`,
  );
}

async function write(path: string, x: FloatArray, model: Model, count: number): Promise<void> {
  const n = model.transform.dimension;
  if (path.endsWith(".png")) await writePng(path, pictureOf(x, model, count));
  else await writeAtomically(path, encodeNpz({ x: { values: x, shape: [count, n] } }));
}

/** All with the same display scaling: the model's black and white where it has them. */
function pictureOf(x: FloatArray, { about: { patch } }: Model, count: number): GreyImage {
  const size = patch?.width ?? 1;
  const range = patch && { black: patch.black, white: patch.white };
  const columns = Math.ceil(Math.sqrt(count));
  const zoom = Math.max(1, Math.floor(640 / (columns * (size + 1))));
  return patchMosaic(x, { size, columns, zoom, scale: "all", ...range });
}
