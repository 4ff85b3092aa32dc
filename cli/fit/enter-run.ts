/** The folder of a run that a command is about to begin or to go on with, and what is to be fitted in it. */
import { GaussianizeError, UsageError } from "../../src/index.js";
import type { ImageSet } from "../../node/index.js";
import type { FitTerms } from "../../src/runs/fit-terms.js";
import { type FolderContent, RunFolder, contentOf, enterFolder } from "../../node/run-folder.js";
import type { Effects } from "../effects.js";
import {
  type FitCommandOptions,
  type FitConfig,
  configFor,
  configOf,
  imagesFrom,
  optionsOfRun,
  requireConsistent,
  requireSame,
  termsFrom,
} from "./config.js";

/** The command line. */
export interface Asked {
  readonly patterns: readonly string[];
  readonly options: FitCommandOptions;
  /** Options that were spelled out. */
  readonly given: ReadonlySet<string>;
}

/** Keeps others from the folder; what is found there counts only then, since another process may have come first. */
export async function enterRun(
  asked: Asked,
): Promise<{ isResumed: boolean; leave: () => Promise<void> }> {
  await prepareFolder(asked);
  const leave = await enterFolder(asked.options.output);
  try {
    return { isResumed: await prepareFolder(asked), leave };
  } catch (error) {
    await leave();
    throw error;
  }
}

/** Whether there is a run to go on with; refused is what cannot be begun, before anything is made or lost. */
async function prepareFolder({ patterns, options, given }: Asked): Promise<boolean> {
  const content = await contentOf(options.output);
  if (content === "run" && options.resume === true) return true;
  requireConsistent(given, options);
  await requireStart(patterns, content, options);
  return false;
}

/** Those of the run, if the command asks for no others. */
export async function resumedTerms(
  { patterns, options, given }: Asked,
  effects: Effects,
): Promise<FitConfig> {
  const { output } = options;
  const run = await RunFolder.open(output);
  const config = configOf(run.config, run.path("config"));
  const hasImages = patterns.length > 0 || options.embedded === true;
  const images = hasImages ? await imagesFrom(patterns, options, effects) : config.images;
  const names = hasImages ? new Set([...given, "images"]) : given;
  const asked = optionsOfRun(config, options, given);
  requireSame(config, termsFrom(asked, images), names, output);
  requireConsistent(given, asked);
  return config;
}

export async function begunTerms(
  { patterns, options }: Asked,
  effects: Effects,
): Promise<FitTerms> {
  return termsFrom(options, await imagesFrom(patterns, options, effects));
}

/** The folder of a run whose images are known. */
export async function openRun(
  terms: FitTerms,
  set: ImageSet,
  { output }: FitCommandOptions,
  isResumed: boolean,
): Promise<RunFolder> {
  if (!isResumed) return RunFolder.create(output, configFor(terms, set));
  if (set.fingerprint === terms.fingerprint) return RunFolder.open(output);
  throw new GaussianizeError(
    `The images of the run in ${output} have changed since it began; begin a new one with --force.`,
  );
}

/** Before anything is made or lost: whether there is room for a run, and something to fit to. */
async function requireStart(
  patterns: readonly string[],
  content: FolderContent,
  options: FitCommandOptions,
): Promise<void> {
  const { output, resume, embedded, force } = options;
  if (resume && patterns.length === 0 && !embedded) {
    throw new UsageError(`There is no run in ${output} to go on with.`);
  }
  requireRoom(output, content, force ?? false);
  termsFrom(options, await imagesFrom(patterns, options));
}

function requireRoom(output: string, content: FolderContent, force: boolean): void {
  if (content === "run" && !force) {
    throw new UsageError(
      `There is a run in ${output} already: --resume goes on with it, --force replaces it.`,
    );
  }
  if (content === "a file") {
    throw new UsageError(`-o must be a folder; ${output} is a file.`);
  }
  if (content === "other files") {
    throw new UsageError(
      `${output} holds other files, but no run: -o must be a new or an empty folder.`,
    );
  }
}
