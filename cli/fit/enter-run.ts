/** Enters the folder of a run that a command begins or resumes. */
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

/** A fit to run, in a folder that is locked against other processes. */
export interface EnteredRun {
  readonly terms: FitTerms;
  /** Run to resume; null if a new one begins. */
  readonly resumed: RunFolder | null;
  readonly leave: () => Promise<void>;
}

/** Locks the folder; rejects, before anything is written, what cannot be begun or resumed. */
export async function enterRun(commandLine: FitCommandLine, effects: Effects): Promise<EnteredRun> {
  const { output } = commandLine.options;
  let found: Promise<readonly string[]> | undefined;
  const images: FindImages = () => (found ??= imagesFrom(commandLine, effects));
  await startOf(commandLine, images);
  const leave = await enterFolder(output);
  try {
    // Checked again, since another process may have begun a run before the lock.
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

/** Returns the terms of a new run; null if the run in the folder is resumed. */
async function startOf(
  { patterns, options, asked }: FitCommandLine,
  images: FindImages,
): Promise<FitTerms | null> {
  const { output, resume, embedded, force } = options;
  const content = await contentOf(output);
  if (content === "run" && resume === true) return null;
  requireConsistent(givenIn(asked), asked);
  if (resume && patterns.length === 0 && !embedded) {
    throw new UsageError(`No run to resume in ${output}.`);
  }
  requireRoom(output, content, force ?? false);
  return fitTerms(asked, await images());
}

function givenIn(asked: object): ReadonlySet<FitOptionName> {
  return new Set(Object.keys(asked) as FitOptionName[]);
}

/** Returns the terms of the run, with more steps if asked; rejects any other difference. */
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

/** Opens or creates the run once its images are known, and extends it if asked. */
export async function openRun(
  { terms, resumed }: EnteredRun,
  set: ImageSet,
  { output }: RunOptions,
): Promise<RunFolder> {
  if (!resumed) return RunFolder.create(output, configFor(terms, set));
  if (set.fingerprint !== terms.fingerprint) {
    throw new GaussianizeError(
      "mismatch",
      `The images of the run in ${output} have changed since it began: start again with --force.`,
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
      `${output} already holds a run: resume it with --resume, or replace it with --force.`,
    );
  }
  if (content === "a file") {
    throw new UsageError(`-o must be a folder; ${output} is a file.`);
  }
  if (content === "other files") {
    throw new UsageError(`-o must be a new or an empty folder; ${output} holds other files.`);
  }
}
