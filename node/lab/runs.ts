/** Finds the runs in a folder, and describes each from its files. */
import type { Dirent } from "node:fs";
import { lstat, readdir, realpath } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import type { JsonObject } from "../../src/density/model-files/json.js";
import { GaussianizeError } from "../../src/errors.js";
import { codeOf, fileError, readFully } from "../files.js";
import { configIn, fileNames } from "../run-folder.js";
import { isHeld } from "../run-lock.js";
import { parseMetrics } from "../../src/runs/run-metrics.js";
import { openContained, readContained } from "./contained-file.js";
import type { RunDescription, RunStatus } from "../../src/runs/run-description.js";

export interface FoundRun extends Pick<RunDescription, "name"> {
  /** Path without links. */
  readonly folder: string;
}

export interface FoundRuns {
  readonly runs: readonly FoundRun[];
  readonly isComplete: boolean;
}

/** Depth of `report/fits/gdn`, where commands put the deepest runs. */
const deepest = 3;
const mostFolders = 2000;
const mostRuns = 500;

/** Returns the path of the folder without links, or throws if it is not a folder. */
export async function requireRunsFolder(folder: string): Promise<string> {
  try {
    const real = await realpath(folder);
    if ((await lstat(real)).isDirectory()) return real;
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw fileError("read", folder, error);
    throw new GaussianizeError("cannot-read", `There is no folder ${folder}.`);
  }
  throw new GaussianizeError("cannot-read", `Expected a folder of runs, but ${folder} is a file.`);
}

/** Finds all folders with a configuration, which is checked later. */
export async function findRuns(root: string): Promise<FoundRuns> {
  const runs: FoundRun[] = [];
  const waiting = [{ folder: root, depth: 0 }];
  let folders = 0;
  for (const { folder, depth } of waiting) {
    if (++folders > mostFolders || runs.length >= mostRuns) return { runs, isComplete: false };
    // Folders that cannot be read are skipped.
    const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
    if (entries.some((entry) => entry.isFile() && entry.name === fileNames.config)) {
      const name = relative(root, folder).replaceAll(sep, "/");
      runs.push({ name: name === "" ? basename(root) : name, folder });
    } else if (depth < deepest) {
      const below = entries.filter((entry) => entry.isDirectory() && isOfInterest(entry.name));
      waiting.push(...below.map(({ name }) => ({ folder: join(folder, name), depth: depth + 1 })));
    }
  }
  return { runs, isComplete: true };
}

function isOfInterest(name: string): boolean {
  return !name.startsWith(".") && name !== "node_modules";
}

/** Room for the paths of a hundred thousand images. */
const mostOfConfig = 2 ** 24;
const mostOfLock = 4096;
/** Bytes of about a hundred records, which include a validation. */
const endOfMetrics = 2 ** 16;

interface Config {
  readonly version: string;
  /** Undefined if the file is not the configuration of a run. */
  readonly config: JsonObject | undefined;
  readonly images: number;
  readonly modified: number;
}

/** Describes runs. Reads configurations, which may be long, only when they change. */
export class RunDescriber {
  private readonly configs = new Map<string, Config>();

  /** Returns undefined if the folder holds no run. */
  async describe({ name, folder }: FoundRun): Promise<RunDescription | undefined> {
    const found = await this.configOf(join(folder, fileNames.config));
    if (!found?.config) return undefined;
    const { config, images } = found;
    const metrics = await lastFigures(join(folder, fileNames.metrics));
    const finished = await versionOf(join(folder, fileNames.model));
    // A run that is being extended has both.
    const preview = await versionOf(join(folder, fileNames.preview));
    const { lastStep = null, lastHeldOut = null } = metrics ?? {};
    return {
      name,
      status: await statusOf(folder, finished !== null && preview === null),
      config,
      images,
      lastStep,
      lastHeldOut,
      modified: Math.max(found.modified, metrics?.modified ?? 0),
      model: preview ?? finished,
    };
  }

  private async configOf(path: string): Promise<Config | undefined> {
    const opened = await openContained(path);
    if (!opened) return undefined;
    const { file, size, version, modified } = opened;
    try {
      const known = this.configs.get(path);
      if (known?.version === version) return known;
      const bytes = size <= mostOfConfig ? await readFully(file, 0, size) : Buffer.alloc(0);
      const read = { version, modified, ...settingsIn(bytes.toString("utf8")) };
      this.configs.set(path, read);
      return read;
    } finally {
      await file.close();
    }
  }
}

/** Drops the paths of the images, which are many and private. */
function settingsIn(text: string): Pick<Config, "config" | "images"> {
  const { images, ...rest } = configIn(text) ?? {};
  if (!Array.isArray(images)) return { config: undefined, images: 0 };
  const entries = Object.entries(rest).filter(([key]) => key !== "format" && key !== "version");
  return { config: Object.fromEntries(entries), images: images.length };
}

async function statusOf(folder: string, hasModel: boolean): Promise<RunStatus> {
  const lock = await readContained(join(folder, fileNames.lock), mostOfLock);
  if (lock && (await isHeld(lock.text, lock.modified))) return "running";
  return hasModel ? "done" : "interrupted";
}

async function versionOf(path: string): Promise<string | null> {
  const opened = await openContained(path);
  await opened?.file.close();
  return opened?.version ?? null;
}

async function lastFigures(path: string) {
  const opened = await openContained(path);
  if (!opened) return undefined;
  const { file, size, modified } = opened;
  try {
    const bytes = await readFully(file, Math.max(0, size - endOfMetrics), endOfMetrics);
    // The first line may lack its start and then does not parse; the last one may lack its end.
    const text = bytes.toString("utf8");
    const records = parseMetrics(text.slice(0, text.lastIndexOf("\n") + 1));
    return {
      lastStep: records.findLast(({ isHeldOut }) => !isHeldOut) ?? null,
      lastHeldOut: records.findLast(({ isHeldOut }) => isHeldOut) ?? null,
      modified,
    };
  } finally {
    await file.close();
  }
}
