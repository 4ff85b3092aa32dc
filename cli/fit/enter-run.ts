/**
 * The folder of a run that a command is about to begin or to resume, and what is to be fitted in
 * it.
 */
import { GaussianizeError, UsageError } from "../../src/errors.js";
import type { ImageSet } from "../../src/patches/image-set.js";
import { type FitTerms, fitTerms } from "../../src/runs/fit-terms.js";
import type { FitOptionName } from "../../src/training/fit-options.js";
import { type FolderContent, RunFolder, contentOf, enterFolder } from "../../node/run-folder.js";
import type { Effects } from "../effects.js";
import {
  type FitConfig,
  configFor,
  configOf,
  extendedTerms,
  imagesFrom,
  optionsOfRun,
  requireSame,
} from "./config.js";
import { requireConsistent } from "./consistency.js";
import type { FitCommandLine, RunOptions } from "./options.js";
import { failureOf } from "./outcome.js";

/** A fit to be run, in a folder that is locked against other processes. */
export interface EnteredRun {
  readonly terms: FitTerms;
  /** The run to resume; null where a new one begins. */
  readonly resumed: RunFolder | null;
  readonly leave: () => Promise<void>;
}

/**
 * Refuses what cannot be begun or resumed, before anything is made or lost. Finds the images once.
 */
export async function enterRun(commandLine: FitCommandLine, effects: Effects): Promise<EnteredRun> {
  const { output } = commandLine.options;
  let found: Promise<readonly string[]> | undefined;
  const images: FindImages = () => (found ??= imagesFrom(commandLine, effects));
  await startOf(commandLine, images);
  const leave = await enterFolder(output);
  try {
    // Another process may have come first: what is in the folder counts only now.
    const begun = await startOf(commandLine, images);
    if (begun) return { terms: begun, resumed: null, leave };
    const resumed = await RunFolder.open(output);
    return { terms: await resumedTerms(commandLine, resumed, images), resumed, leave };
  } catch (error) {
    await leave();
    throw error;
  }
}

type FindImages = () => Promise<readonly string[]>;

/** Returns the terms of a new run; null where the run in the folder is resumed. */
async function startOf(
  { patterns, options, asked }: FitCommandLine,
  images: FindImages,
): Promise<FitTerms | null> {
  const { output, resume, embedded, force } = options;
  const content = await contentOf(output);
  if (content === "run" && resume === true) return null;
  requireConsistent(givenIn(asked), asked);
  if (resume && patterns.length === 0 && !embedded) {
    throw new UsageError(`There is no run in ${output} to resume.`);
  }
  requireRoom(output, content, force ?? false);
  return fitTerms(asked, await images());
}

function givenIn(asked: object): ReadonlySet<FitOptionName> {
  return new Set(Object.keys(asked) as FitOptionName[]);
}

/**
 * Returns the terms of the run, with more steps where the command asks for more; refuses any other
 * difference.
 */
async function resumedTerms(
  commandLine: FitCommandLine,
  run: RunFolder,
  find: FindImages,
): Promise<FitConfig> {
  const { patterns, options, asked } = commandLine;
  const config = configOf(run.config, run.path("config"));
  const hasImages = patterns.length > 0 || options.embedded === true;
  const images = hasImages ? await find() : config.images;
  const all = optionsOfRun(config, asked);
  requireSame(config, fitTerms(all, images), commandLine);
  requireConsistent(givenIn(asked), all);
  return extendedTerms(config, asked);
}

/**
 * Returns the folder of a run whose images are known; a run that is to have more steps is extended.
 */
export async function openRun(
  { terms, resumed }: EnteredRun,
  set: ImageSet,
  { output }: RunOptions,
): Promise<RunFolder> {
  if (!resumed) return RunFolder.create(output, configFor(terms, set));
  if (set.fingerprint !== terms.fingerprint) {
    throw new GaussianizeError(
      "mismatch",
      `The images of the run in ${output} have changed since it began; begin a new one with --force.`,
    );
  }
  if (terms.steps === resumed.config.steps) return resumed;
  const failure = await failureOf(resumed);
  if (failure === null) return resumed.extended(terms);
  throw new GaussianizeError(
    "fit-failed",
    `The run in ${output} failed and cannot be extended. ${failure}`,
  );
}

function requireRoom(output: string, content: FolderContent, force: boolean): void {
  if (content === "run" && !force) {
    throw new UsageError(
      `There is a run in ${output} already: --resume resumes it, --force replaces it.`,
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
