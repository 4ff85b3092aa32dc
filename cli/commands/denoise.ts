/** `gaussianize denoise IMAGES… -o OUT`: takes white noise out of pictures. */
import type { Command } from "commander";
import { denoisingMethods } from "../../src/denoising/picture-denoiser.js";
import { GaussianizeError } from "../../src/errors.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { openRunner } from "../../node/worker-threads.js";
import { type Failure, type Result, jsonOf, meansOf } from "../denoise/json.js";
import { denoisePicture } from "../denoise/one-picture.js";
import {
  type DenoiseOptions,
  type Denoiser,
  noiseLevel,
  openDenoiser,
  requireConsistent,
} from "../denoise/options.js";
import { type DenoisingTask, planOf } from "../denoise/plan.js";
import { DenoisingProgress } from "../denoise/progress.js";
import { meanText, pictureText, stageText, warningText } from "../denoise/text.js";
import type { Effects } from "../effects.js";
import { inputFile, inputFiles, oneOf, wholeNumber, workerCount } from "../options.js";
import { PassedOver } from "../passed-over.js";
import { oneLine } from "../text.js";

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Takes white noise out of pictures, grey or colour: by default with densities of noisy patches that come with the package (empirical Bayes, paper eq. 7, in three rounds). Bit depth, alpha and metadata are kept. Noise levels are in grey levels of 255.",
    )
    .argument("<images...>", "pictures: files, folders, globs, @lists", inputFiles)
    .option(
      "-o, --output <path>",
      "a file for one picture, a folder for several; the ending says the format",
      inputFile,
    )
    .option(
      "--sigma <n>",
      "noise level σ in grey levels of 255 (default: estimated; a warning says when that is doubtful)",
      noiseLevel,
    )
    .option(
      "--method <name>",
      "gdn, ica-mg: density of patches; gsm, marginal, wiener: in wavelets",
      oneOf(denoisingMethods),
      "gdn",
    )
    .option("--model <file>", "a density of your own, of fit --noise-level", inputFile)
    .option(
      "--stride <n>",
      "pixels between patches of the last round, speed against quality: 2 takes half of the time of 1 and costs 0.03 dB, 4 a quarter and 0.2 dB (default: 1; in a single round a quarter of their side)",
      wholeNumber(1, 64),
    )
    .option(
      "--rounds <n>",
      "1: paper eq. 7 alone; more: again, by densities that know the estimate before (default: 3; 1 with --model)",
      wholeNumber(1, 4),
    )
    .option("--self", "first fit the density to the noisy picture itself")
    .option("--self-steps <n>", "steps of that fit (default: 150)", wholeNumber(1))
    .option(
      "--reference <path>",
      "the picture without noise, or a folder with the same names: tells PSNR and SSIM",
      inputFile,
    )
    .option(
      "--add-noise <sigma>",
      "add noise to clean pictures, and tell PSNR and SSIM",
      noiseLevel,
    )
    .option("--seed <n>", "seed of that noise, and of --self", wholeNumber(0), 1)
    .option("--compare", "write pictures side by side, with a detail, as <output>-compare.png")
    .option("--force", "replace the pictures themselves, where the output is the input")
    .option("--workers <n>", "worker threads, 0 to 1024 (default: one per core)", workerCount)
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Examples:
  gaussianize denoise noisy.png -o clean.png
  gaussianize denoise scans/ -o cleaned/ --sigma 12
  gaussianize denoise cells.tif -o clean.tif --self        nothing but the noisy picture
  gaussianize denoise noisy.png -o out.png --reference original.png --compare
  gaussianize denoise bsd68/ --add-noise 25 --seed 1 --json | jq .mean
`,
    )
    .action((patterns: readonly string[], options: DenoiseOptions) =>
      denoise(patterns, options, effects),
    );
}

async function denoise(
  patterns: readonly string[],
  options: DenoiseOptions,
  effects: Effects,
): Promise<void> {
  requireConsistent(options);
  const passedOver = new PassedOver();
  const tasks = await planOf(patterns, options, passedOver);
  passedOver.tell(effects);
  const { workers } = options;
  const signal = effects.interruption();
  const runner = await openRunner({
    callerWorks: true,
    ...(workers === undefined ? {} : { workers }),
  });
  try {
    await denoiseAll(runner, tasks, options, signal, effects);
  } finally {
    await runner.close();
  }
}

async function denoiseAll(
  runner: TaskRunner,
  tasks: readonly DenoisingTask[],
  options: DenoiseOptions,
  signal: AbortSignal,
  effects: Effects,
): Promise<void> {
  const denoiser = await openDenoiser(runner, options);
  const progress = await DenoisingProgress.open(
    effects,
    tasks.map(({ path }) => path),
    options,
  );
  const session = new Session(options, denoiser, progress, signal, effects);
  for (const [k, task] of tasks.entries()) {
    signal.throwIfAborted();
    await session.take(k, task, tasks.length);
  }
  session.print();
  session.requireAll(tasks.length);
}

/** Picture after picture: what is done stays done, whatever happens to the next one. */
class Session {
  private readonly results: Result[] = [];
  private readonly failures: Failure[] = [];
  /** By their cause: of many pictures, the first tells. */
  private readonly warnings = new Map<string, string>();

  constructor(
    private readonly options: DenoiseOptions,
    private readonly denoiser: Denoiser,
    private readonly progress: DenoisingProgress,
    private readonly signal: AbortSignal,
    private readonly effects: Effects,
  ) {}

  async take(k: number, task: DenoisingTask, count: number): Promise<void> {
    const { options, effects, signal } = this;
    const start = effects.now();
    try {
      const picture = await denoisePicture(task, options, this.denoiser, {
        signal,
        onStage: (stage) => {
          this.progress.report(k, stage.part, stageText(stage));
        },
        onWarning: (warning) => {
          const named = { source: task.path, model: options.model };
          this.warn(...warningText(warning, named));
        },
      });
      this.finish(k, { ...picture, seconds: (effects.now() - start) / 1000 });
    } catch (error) {
      this.progress.finishPicture(k);
      // Alone, it speaks for itself; an interruption ends everything.
      if (count === 1 || signal.aborted || !(error instanceof GaussianizeError)) throw error;
      this.failures.push({ path: task.path, reason: error.message });
      effects.stderr.write(`failed: ${oneLine(error.message)}\n`);
    }
  }

  /** Without --json, a line as soon as it is known. */
  private finish(k: number, result: Result): void {
    this.results.push(result);
    this.progress.finishPicture(k);
    const { stdout, stderr } = this.effects;
    if (!this.options.json) stdout.write(`${pictureText(result)}\n`);
    else if (result.isUnchanged) stderr.write(`${pictureText(result)}\n`);
    if (result.notKept.length > 0 && result.output !== undefined) {
      stderr.write(`${oneLine(result.output)}: not kept: ${result.notKept.join(", ")}\n`);
    }
  }

  private warn(cause: string, sentence: string): void {
    if (this.warnings.has(cause)) return;
    this.warnings.set(cause, sentence);
    this.progress.clear();
    this.effects.stderr.write(`warning: ${oneLine(sentence)}\n`);
  }

  print(): void {
    const { results, failures, warnings, options, effects } = this;
    if (options.json) {
      const outcome = { results, failures, warnings: [...warnings.values()] };
      effects.stdout.write(`${jsonOf(options, outcome)}\n`);
      return;
    }
    const means = meansOf(results);
    if (means && results.length > 1) {
      effects.stdout.write(`${meanText(results.length, means.noisy, means.denoised)}\n`);
    }
  }

  requireAll(count: number): void {
    const { length } = this.failures;
    if (length === 0) return;
    throw new GaussianizeError(
      "partly-failed",
      `${length} of ${count} pictures could not be denoised.`,
    );
  }
}
