/** `gaussianize fit IMAGES… -o RUN`: fits a density to patches of images, or to whole images. */
import type { Command } from "commander";
import {
  GaussianizeError,
  UsageError,
  cascadePresetNames,
  largestRank,
  modelNames,
  mostLayers,
  optimiserNames,
  secondNormalizations,
  preprocessingKinds,
  protocols,
} from "../../src/index.js";
import { type ImageSet, openRunner } from "../../node/index.js";
import type { RunFolder } from "../../node/run-folder.js";
import type { Effects } from "../effects.js";
import { type FitCommandOptions, type FitConfig, distributions } from "../fit/config.js";
import { type FirstRank, fitOnRanks, requireOneProcess } from "../fit/distributed.js";
import { type Asked, type EnteredRun, enterRun, openRun } from "../fit/enter-run.js";
import { openImages } from "../fit/images.js";
import { type FitOutcome, endedOutcome, outcomeText } from "../fit/outcome.js";
import { runFit } from "../fit/run.js";
import {
  fraction,
  inputFiles,
  oneOf,
  outputFolder,
  positiveNumber,
  wholeNumber,
  workerCount,
} from "../options.js";

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Fits a density to patches of images, or with --cascade to whole images, by stochastic descent of the negentropy (paper eq. 3). The folder RUN gets model.safetensors, metrics.jsonl and a checkpoint to go on from after Ctrl-C, or whatever else may happen.",
    )
    .argument("[images...]", "pictures: files, folders, tar archives, globs, @lists", inputFiles)
    .requiredOption("-o, --output <run>", "folder of the run", outputFolder)
    .option("--model <name>", modelNames.join(", "), oneOf(modelNames), "gdn")
    .option(
      "--layers <n>",
      "layers on top of each other, fitted together",
      wholeNumber(1, mostLayers),
      1,
    )
    .option(
      "--cascade <preset>",
      "whole images, by CICA–GDN–CICA–GDN (paper §4.3): small (16 filters of 8×8, minutes), medium (64 of 24×24), paper (256 of 48×48, hours)",
      oneOf(cascadePresetNames),
    )
    .option("--stages <n>", "of the cascade: 1 or 2", wholeNumber(1, 2), 2)
    .option(
      "--second <normalization>",
      "of the cascade's second stage: gdn (default), or marginal, which makes its filters convolutional ICA",
      oneOf(secondNormalizations),
    )
    .option(
      "--greedy <x>",
      "part of the steps in which layers, or the stages of a cascade, are fitted one after the other, before all move together (default: 0; with --cascade 0.4)",
      fraction(0, 1),
    )
    .option("--patch <n>", "side of the patches in pixels", wholeNumber(2, 32), 8)
    .option(
      "--protocol <name>",
      "patches as the literature takes them: bsds63 (8×8, mean removed), bsds64 (8×8)",
      oneOf(Object.keys(protocols)),
    )
    .option(
      "--luminance <kind>",
      "linear: luminance in linear light, as in the paper; grey: Rec. 601 luma (default: linear; grey with --noise-level)",
      oneOf(["linear", "grey"]),
    )
    .option("--remove-mean", "subtract the mean of each patch, and leave out its last pixel")
    .option("--no-noise", "do not spread the codes of pixels by uniform noise (dequantisation)")
    .option(
      "--noise-level <sigma>",
      "add white noise, in grey levels of 255: a density of noisy patches, to denoise with",
      positiveNumber,
    )
    .option(
      "--preprocessing <kind>",
      "logistic: fitted curve that makes intensities Gaussian (paper §6.3); standardize: scale and shift",
      oneOf(preprocessingKinds),
    )
    .option("--remove-saturated", "leave out images with saturation artifacts (paper §6.3)")
    .option("--embedded", "use the photographs that come with the package")
    .option(
      "--steps <n>",
      "steps (default: 8000, above 10×10 pixels 2000, with --pool-rank above 22×22; for ica-mg 20000, 8000; cascades 8000, medium and paper 4000)",
      wholeNumber(1),
    )
    .option(
      "--batch <n>",
      "patches, or locations of a cascade, of a step (default: 512, above 10×10 pixels 256, with --pool-rank 512, above 22×22 1024; cascades 512, medium and paper 256)",
      wholeNumber(1, 65536),
    )
    .option(
      "--rate <x>",
      "largest learning rate of H, or of filters (default: 0.04; above 10×10 pixels and for ica-mg 0.02; cascades 0.03, medium 0.02, paper 0.01)",
      positiveNumber,
    )
    .option("--optimiser <name>", optimiserNames.join(", "), oneOf(optimiserNames), "adam")
    .option("--certified", "keep q = max ε α below 1: proves invertibility for every structure")
    .option("--subspace <n>", "components of a subspace, for --model isa", wholeNumber(1, 1024), 4)
    .option(
      "--pool-rank <R>",
      "of --model gdn: pools of low rank, γ = diag(g) + U Vᵀ with U and V of R columns, at a cost of N R² instead of N³; 0 for a full γ",
      wholeNumber(0, largestRank),
      0,
    )
    .option("--held-out <x>", "part of the images to validate with", fraction(0, 0.9), 0.1)
    .option(
      "--patience <n>",
      "stop after so many validations (of 20) without a new best",
      wholeNumber(1),
      5,
    )
    .option("--seed <n>", "the same seed gives the same bits", wholeNumber(0), 1)
    .option(
      "--memory <mb>",
      "megabytes for pixels of images: of more than fit in, some are in memory at a time (default: 192)",
      positiveNumber,
    )
    .option("--fast-math", "relaxed SIMD: faster, bits may differ between machines")
    .option("--strict", "fail on images that cannot be used, rather than leave them out")
    .option(
      "--workers <n>",
      "worker threads, 0 to 1024 (default: one per core; of each rank one, where there are several on a machine)",
      workerCount,
    )
    .option(
      "--distributed <engine>",
      "mpi: all processes that mpirun or srun has started fit one model together (docs/scaling.md); none: each fits its own",
      oneOf(distributions),
    )
    .option(
      "--resume",
      "resume the run in the folder, if there is one; with more --steps extend it",
    )
    .option("--force", "replace the run in the folder")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Examples:
  gaussianize fit photos/ -o runs/gdn                     8×8 patches of linear luminance
  gaussianize fit photos/ --model ica-mg --patch 16 -o runs/ica
  gaussianize fit bsds300/train --protocol bsds63 -o runs/bsds
  gaussianize fit photos/ --layers 3 --patch 16 -o runs/deep
  gaussianize fit photos/ --patch 32 --pool-rank 16 -o runs/large
  gaussianize fit photos/ --noise-level 25 -o runs/noisy  to denoise with
  gaussianize fit photos/ --cascade small -o runs/cascade densities and samples of whole images
  gaussianize fit shards/*.tar -o runs/large              images in archives, however many
  gaussianize fit --embedded --steps 500 -o runs/try
  gaussianize fit -o runs/gdn --resume                    after Ctrl-C or a power cut
  gaussianize fit -o runs/gdn --resume --steps 20000      more steps for a finished fit
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
  const given = optionsGiven(command);
  if (options.resume && options.force) {
    throw new UsageError("Give either --resume or --force, not both.");
  }
  const asked = { patterns, options, given };
  const result =
    options.distributed === "mpi"
      ? await fitTogether(asked, effects)
      : await fitAlone(asked, effects);
  if (!result) return;
  const { problem } = result;
  if (options.json) effects.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  else if (problem === null) effects.stdout.write(outcomeText(result));
  if (problem !== null) throw new GaussianizeError(problem);
}

async function fitAlone(asked: Asked, effects: Effects): Promise<FitOutcome> {
  if (asked.options.distributed === undefined) requireOneProcess(effects.environment);
  const signal = effects.interruption();
  const { options } = asked;
  const entered = await enterRun(asked, effects);
  try {
    const set = await openImages(entered.terms, options.strict ?? false, effects, signal);
    const run = await openRun(entered, set, options);
    const outcome = await endedOutcome({ run }, effects);
    const opened = { run, config: run.config as FitConfig, set };
    return outcome || (await runIn(opened, options, signal, effects));
  } finally {
    await entered.leave();
  }
}

function fitTogether(asked: Asked, effects: Effects): Promise<FitOutcome | undefined> {
  const { options, given } = asked;
  if (options.cascade !== undefined || given.has("cascade")) {
    throw new UsageError(
      "--distributed is for fits to patches; --cascade is fitted by one process.",
    );
  }
  if (options.workers === 0) {
    throw new UsageError("--workers must be at least 1 with --distributed; received 0.");
  }
  let entered: EnteredRun | undefined;
  const first: FirstRank = {
    enter: async () => {
      entered = await enterRun(asked, effects);
      if (entered.terms.cascade === undefined) return entered.terms;
      throw new UsageError(`The run in ${options.output} is of a cascade, which one process fits.`);
    },
    open: (set) => openRun(entered as EnteredRun, set, options),
    leave: () => entered?.leave() ?? Promise.resolve(),
  };
  return fitOnRanks(first, options, effects);
}

/** Options that say what to fit, not how to run, as far as they were spelled out. */
function optionsGiven(command: Command): ReadonlySet<string> {
  const names = Object.keys(command.opts()).filter((name) => !runOptions.includes(name));
  return new Set(names.filter((name) => command.getOptionValueSource(name) === "cli"));
}

const runOptions = ["output", "resume", "force", "workers", "distributed", "json", "strict"];

async function runIn(
  { run, config, set }: OpenedRun,
  { workers }: FitCommandOptions,
  signal: AbortSignal,
  effects: Effects,
): Promise<FitOutcome> {
  const runner = await openRunner({
    callerWorks: true,
    ...(workers === undefined ? {} : { workers }),
    ...(config.fastMath ? { kernels: "relaxed-simd" } : {}),
  });
  try {
    return await runFit(runner, { run, config, set, signal }, effects);
  } finally {
    await runner.close();
  }
}

interface OpenedRun {
  readonly run: RunFolder;
  readonly config: FitConfig;
  readonly set: ImageSet;
}
