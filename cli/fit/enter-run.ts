/** The folder of a run that a command is about to begin or to resume, and what is to be fitted in it. */
import { GaussianizeError, UsageError } from "../../src/index.js";
import type { ImageSet } from "../../node/index.js";
import type { FitTerms } from "../../src/runs/fit-terms.js";
import { type FolderContent, RunFolder, contentOf, enterFolder } from "../../node/run-folder.js";
import type { Effects } from "../effects.js";
import {
  type FitCommandOptions,
  configFor,
  configOf,
  extendedTerms,
  imagesFrom,
  optionsOfRun,
  requireConsistent,
  requireSame,
  termsFrom,
} from "./config.js";
import { failureOf } from "./outcome.js";

/** The command line. */
export interface Asked {
  readonly patterns: readonly string[];
  readonly options: FitCommandOptions;
  /** Options that were spelled out. */
  readonly given: ReadonlySet<string>;
}

/** A fit to be run, in a folder that is locked against other processes. */
export interface EnteredRun {
  readonly terms: FitTerms;
  /** The run to resume; null where a new one begins. */
  readonly resumed: RunFolder | null;
  readonly leave: () => Promise<void>;
}

/** Refuses what cannot be begun or resumed, before anything is made or lost. Finds the images once. */
export async function enterRun(asked: Asked, effects: Effects): Promise<EnteredRun> {
  const { patterns, options } = asked;
  let found: Promise<readonly string[]> | undefined;
  const images: FindImages = () => (found ??= imagesFrom(patterns, options, effects));
  await startOf(asked, images);
  const leave = await enterFolder(options.output);
  try {
    // Another process may have come first: what is in the folder counts only now.
    const begun = await startOf(asked, images);
    if (begun) return { terms: begun, resumed: null, leave };
    const resumed = await RunFolder.open(options.output);
    return { terms: await resumedTerms(asked, resumed, images), resumed, leave };
  } catch (error) {
    await leave();
    throw error;
  }
}

type FindImages = () => Promise<readonly string[]>;

/** Returns the terms of a new run; null where the run in the folder is resumed. */
async function startOf(
  { patterns, options, given }: Asked,
  images: FindImages,
): Promise<FitTerms | null> {
  const content = await contentOf(options.output);
  if (content === "run" && options.resume === true) return null;
  requireConsistent(given, options);
  const { output, resume, embedded, force } = options;
  if (resume && patterns.length === 0 && !embedded) {
    throw new UsageError(`There is no run in ${output} to resume.`);
  }
  requireRoom(output, content, force ?? false);
  return termsFrom(options, await images());
}

/** Returns the terms of the run, with more steps where the command asks for more; refuses any other difference. */
async function resumedTerms(
  { patterns, options, given }: Asked,
  run: RunFolder,
  find: FindImages,
): Promise<FitTerms> {
  const { output } = options;
  const config = configOf(run.config, run.path("config"));
  const hasImages = patterns.length > 0 || options.embedded === true;
  const images = hasImages ? await find() : config.images;
  const names = hasImages ? new Set([...given, "images"]) : given;
  const asked = optionsOfRun(config, options, given);
  requireSame(config, termsFrom(asked, images), names, output);
  requireConsistent(given, asked);
  return given.has("steps") ? extendedTerms(config, options) : config;
}

/** Returns the folder of a run whose images are known; a run that is to have more steps is extended. */
export async function openRun(
  { terms, resumed }: EnteredRun,
  set: ImageSet,
  { output }: FitCommandOptions,
): Promise<RunFolder> {
  if (!resumed) return RunFolder.create(output, configFor(terms, set));
  if (set.fingerprint !== terms.fingerprint) {
    throw new GaussianizeError(
      `The images of the run in ${output} have changed since it began; begin a new one with --force.`,
    );
  }
  if (terms.steps === resumed.config.steps) return resumed;
  const failure = await failureOf(resumed);
  if (failure === null) return resumed.extended(terms);
  throw new GaussianizeError(`The run in ${output} failed and cannot be extended. ${failure}`);
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
