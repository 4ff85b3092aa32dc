/** The runs in a folder and below it. */
import { type Dirent } from "node:fs";
import { lstat, readdir, realpath } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { GaussianizeError } from "../../src/errors.js";
import { fileError } from "../file-errors.js";
import { fileNames } from "../run-folder.js";

export interface FoundRun {
  /** As in {@link RunDescription}. */
  readonly name: string;
  /** Without links. */
  readonly folder: string;
}

export interface FoundRuns {
  readonly runs: readonly FoundRun[];
  readonly isComplete: boolean;
}

/** `report/fits/gdn` is as deep as commands put them. */
const deepest = 3;
const mostFolders = 2000;
const mostRuns = 500;

/** The folder itself may be reached by links. */
export async function requireRunsFolder(folder: string): Promise<string> {
  try {
    const real = await realpath(folder);
    if ((await lstat(real)).isDirectory()) return real;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT")
      throw new GaussianizeError("cannot-read", `There is no folder ${folder}.`);
    throw fileError("read", folder, error);
  }
  throw new GaussianizeError("cannot-read", `${folder} is not a folder: where are the runs?`);
}

/** A folder with a configuration counts as a run here; its content is looked at later. */
export async function findRuns(root: string): Promise<FoundRuns> {
  const runs: FoundRun[] = [];
  const waiting = [{ folder: root, depth: 0 }];
  let folders = 0;
  for (const { folder, depth } of waiting) {
    if (++folders > mostFolders || runs.length >= mostRuns) return { runs, isComplete: false };
    // What cannot be read is not ours.
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
