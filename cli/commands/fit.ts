/** `gaussianize fit IMAGES… -o RUN`: fits a density to patches of images. */
import type { Command } from "commander";
import {
  GaussianizeError,
  UsageError,
  modelNames,
  optimiserNames,
  preprocessingKinds,
  protocols,
} from "../../src/index.js";
import { type ImageSet, openImageSet, openRunner } from "../../node/index.js";
import { type FolderContent, RunFolder, contentOf, makeFolder } from "../../node/run-folder.js";
import type { Effects } from "../effects.js";
import {
  type FitCommandOptions,
  type FitConfig,
  type FitTerms,
  imagesFrom,
  readingOfTerms,
  requireSame,
  termsFrom,
} from "../fit-config.js";
import { outcomeText, runFit } from "../fit-run.js";
import {
  fraction,
  inputFiles,
  oneOf,
  outputFolder,
  positiveNumber,
  wholeNumber,
  workerCount,
} from "../options.js";
import { Progress } from "../progress.js";
import { oneLine } from "../text.js";

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Fits a density to patches of images, by stochastic descent of the negentropy (paper eq. 3). The folder RUN gets model.safetensors, metrics.jsonl and a checkpoint to go on from after Ctrl-C, or whatever else may happen.",
    )
    .argument("[images...]", "pictures: files, folders, globs, @lists", inputFiles)
    .requiredOption("-o, --output <run>", "folder of the run", outputFolder)
    .option("--model <name>", modelNames.join(", "), oneOf(modelNames), "gdn")
    .option("--patch <n>", "side of the patches in pixels", wholeNumber(2, 32), 8)
    .option(
      "--protocol <name>",
      "patches as the literature takes them: bsds63 (8×8, mean removed), bsds64 (8×8)",
      oneOf(Object.keys(protocols)),
    )
    .option(
      "--luminance <kind>",
      "linear: luminance in linear light, as in the paper; grey: Rec. 601 luma",
      oneOf(["linear", "grey"]),
      "linear",
    )
    .option("--remove-mean", "subtract the mean of each patch, and leave out its last pixel")
    .option("--no-noise", "do not spread the codes of pixels by uniform noise (dequantisation)")
    .option(
      "--preprocessing <kind>",
      "logistic: fitted curve that makes intensities Gaussian (paper §6.3); standardize: scale and shift",
      oneOf(preprocessingKinds),
    )
    .option("--remove-saturated", "leave out images with saturation artifacts (paper §6.3)")
    .option("--embedded", "use the photographs that come with the package")
    .option(
      "--steps <n>",
      "steps (default: 8000, above 10×10 pixels 2000; for ica-mg 20000, 8000)",
      wholeNumber(1),
    )
    .option(
      "--batch <n>",
      "patches of a step (default: 512, above 10×10 pixels 256)",
      wholeNumber(1, 65536),
    )
    .option(
      "--rate <x>",
      "largest learning rate of H (default: 0.04; above 10×10 pixels and for ica-mg 0.02)",
      positiveNumber,
    )
    .option("--optimiser <name>", optimiserNames.join(", "), oneOf(optimiserNames), "adam")
    .option("--certified", "keep q = max ε α below 1: proves invertibility for every structure")
    .option("--subspace <n>", "components of a subspace, for --model isa", wholeNumber(1, 1024), 4)
    .option("--held-out <x>", "part of the images to validate with", fraction(0, 0.9), 0.1)
    .option(
      "--patience <n>",
      "stop after so many validations (of 20) without a new best",
      wholeNumber(1),
      5,
    )
    .option("--seed <n>", "the same seed gives the same bits", wholeNumber(0), 1)
    .option("--fast-math", "relaxed SIMD: faster, bits may differ between machines")
    .option("--strict", "fail on images that cannot be used, rather than leave them out")
    .option("--workers <n>", "worker threads, 0 to 1024 (default: one per core)", workerCount)
    .option("--resume", "go on with the run in the folder, if there is one")
    .option("--force", "replace the run in the folder")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Examples:
  gaussianize fit photos/ -o runs/gdn                     8×8 patches of linear luminance
  gaussianize fit photos/ --model ica-mg --patch 16 -o runs/ica
  gaussianize fit bsds300/train --protocol bsds63 -o runs/bsds
  gaussianize fit --embedded --steps 500 -o runs/try
  gaussianize fit -o runs/gdn --resume                    after Ctrl-C or a power cut
`,
    )
    .action((patterns: readonly string[], options: FitCommandOptions, own: Command) =>
      fit(patterns, options, own, effects),
    );
}

async function fit(
  patterns: readonly string[],
  options: FitCommandOptions,
  command: Command,
  effects: Effects,
): Promise<void> {
  const signal = effects.interruption();
  const { run, config, set } = await openRun(patterns, options, command, effects, signal);
  const isFinished = options.resume && (await run.has("model"));
  if (isFinished) {
    effects.stderr.write(`The run in ${run.folder} is finished: there is ${run.path("model")}.\n`);
    return;
  }
  const runner = await openRunner({
    callerWorks: true,
    ...(options.workers === undefined ? {} : { workers: options.workers }),
    ...(config.fastMath ? { kernels: "relaxed-simd" } : {}),
  });
  try {
    const outcome = await runFit(runner, { run, config, set, signal }, effects);
    if (options.json) effects.stdout.write(`${JSON.stringify(outcome, null, 2)}\n`);
    else effects.stdout.write(outcomeText(outcome));
  } finally {
    await runner.close();
  }
}

interface OpenedRun {
  readonly run: RunFolder;
  readonly config: FitConfig;
  readonly set: ImageSet;
}

/** A new run, or the one that is there where it is to be gone on with. */
async function openRun(
  patterns: readonly string[],
  options: FitCommandOptions,
  command: Command,
  effects: Effects,
  signal: AbortSignal,
): Promise<OpenedRun> {
  const { output, resume, force } = options;
  if (resume && force) throw new UsageError("Give either --resume or --force, not both.");
  const content = await contentOf(output);
  if (content === "run" && resume) {
    const run = await RunFolder.open(output);
    const config = run.config as FitConfig;
    if (patterns.length > 0 || hasFitOptions(command)) {
      requireSame(config, termsFrom(options, await imagesFrom(patterns, options)), output);
    }
    const set = await openImages(config, options, effects, signal);
    if (set.fingerprint === config.fingerprint) return { run, config, set };
    throw new GaussianizeError(
      `The images of the run in ${output} have changed since it began; begin a new one with --force.`,
    );
  }
  requireRoom(output, content, force ?? false);
  const images = await imagesFrom(patterns, options);
  const terms = termsFrom(options, images);
  // Before the work, not after it.
  await makeFolder(output);
  const set = await openImages(terms, options, effects, signal);
  const config = { ...terms, fingerprint: set.fingerprint, window: set.windowFor() };
  return { run: await RunFolder.create(output, config), config, set };
}

/** Options that say how to run, not what to fit. */
const runOptions = ["output", "resume", "workers", "json", "strict"];

function hasFitOptions(command: Command): boolean {
  const names = Object.keys(command.opts()).filter((name) => !runOptions.includes(name));
  return names.some((name) => command.getOptionValueSource(name) === "cli");
}

function requireRoom(output: string, content: FolderContent, force: boolean): void {
  if (content === "run" && !force) {
    throw new UsageError(
      `There is a run in ${output} already: --resume goes on with it, --force replaces it.`,
    );
  }
  if (content === "other files") {
    throw new UsageError(
      `${output} holds other files, but no run: -o must be a new or an empty folder.`,
    );
  }
}

function openImages(
  terms: FitTerms,
  { strict }: FitCommandOptions,
  effects: Effects,
  signal: AbortSignal,
): Promise<ImageSet> {
  const progress = new Progress(effects, "images", terms.images.length);
  const opened = openImageSet(terms.images, readingOfTerms(terms), {
    seed: terms.seed,
    removeSaturated: terms.removeSaturated,
    strict: strict ?? false,
    signal,
    onProgress: (done) => {
      progress.report(done);
    },
    onSkipped: ({ reason }) => {
      effects.stderr.write(`left out: ${oneLine(reason)}\n`);
    },
  });
  return opened.finally(() => progress.finish());
}
