/** Where the public sets lie on this machine, and which of their files are there. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { GaussianizeError } from "../src/errors.js";
import { type DataFile, dataSet, filesOfSet } from "./data-sets.js";
import { fileError } from "./file-errors.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of --data, else of GAUSSIANIZE_DATA, else the cache folder of the platform. */
export function dataFolder(
  { data }: { readonly data?: string | undefined },
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): string {
  return data ?? chosen(environment.GAUSSIANIZE_DATA) ?? cacheFolder(environment, platform);
}

/** An empty variable is one that is not set. */
function chosen(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

function cacheFolder(environment: Environment, platform: NodeJS.Platform): string {
  if (platform === "win32") {
    const home = chosen(environment.USERPROFILE) ?? homedir();
    const local = chosen(environment.LOCALAPPDATA) ?? join(home, "AppData", "Local");
    return join(local, "gaussianize");
  }
  const home = chosen(environment.HOME) ?? homedir();
  if (platform === "darwin") return join(home, "Library", "Caches", "gaussianize");
  // A relative path there is to be ignored, says the XDG specification: it would depend on where a
  // command runs.
  const caches = environment.XDG_CACHE_HOME ?? "";
  return join(isAbsolute(caches) ? caches : join(home, ".cache"), "gaussianize");
}

/** Advice for a folder without sets; continues a sentence. */
export const howToGetSets =
  'fetch sets with "gaussianize data fetch <names>", or name their folder with --data';

/** Refuses to look for sets in a folder that does not exist. */
export async function requireFolder(folder: string): Promise<void> {
  const about = await stat(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw fileError("read", folder, error);
  });
  if (!about)
    throw new GaussianizeError("cannot-read", `There is no folder ${folder}; ${howToGetSets}.`);
  if (!about.isDirectory())
    throw new GaussianizeError("cannot-read", `${folder} is a file, not a folder.`);
}

/**
 * The sorted paths of the images of a set, or of a part of it (`bsds300/train`). Exactly the files
 * that are known, whatever else lies beside them: results do not depend on what somebody once put
 * there.
 */
export async function imagesOfSet(name: string, folder: string): Promise<readonly string[]> {
  const set = dataSet(name.split("/")[0]);
  const part = { ...set, folders: set.folders.filter((each) => isWithin(each, name)) };
  // Refuses bsds300/validation in the words for an unknown set.
  if (part.folders.length === 0) dataSet(name);
  const files = filesOfSet(part);
  const present = await presentFiles(files, folder);
  if (present.length < files.length) throw missing(name, folder, files.length, present.length);
  return files.map(({ path }) => join(folder, path));
}

/** The sentence for a set that is not there, or not all of it. */
export function missing(name: string, folder: string, files: number, present: number) {
  const what = present === 0 ? "is not in" : `has only ${present} of its ${files} files in`;
  const remedy = `gaussianize data fetch ${name.split("/")[0]}, or --data`;
  return new GaussianizeError("cannot-read", `${name} ${what} ${folder}: ${remedy}.`);
}

/** Those that are there with the right size: quick, while {@link checkFile} reads every byte. */
export async function presentFiles(
  files: readonly DataFile[],
  folder: string,
): Promise<readonly DataFile[]> {
  const sizes = await Promise.all(files.map(({ path }) => sizeOf(join(folder, path))));
  return files.filter(({ bytes }, k) => sizes[k] === bytes);
}

/** undefined: there is no such file. */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const about = await stat(path);
    return about.isFile() ? about.size : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw fileError("read", path, error);
  }
}

function isWithin(folder: string, name: string): boolean {
  return `${folder}/`.startsWith(`${name}/`);
}

/** Whether a file is what its publisher distributes, by SHA-256. */
type FileState = "right" | "wrong" | "missing";

async function checkFile(file: DataFile, folder: string): Promise<FileState> {
  const path = join(folder, file.path);
  const size = await sizeOf(path);
  if (size === undefined) return "missing";
  return size === file.bytes && (await sha256Of(path)) === file.sha256 ? "right" : "wrong";
}

/** The sum of what is on the disk, in hexadecimal. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  try {
    for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  } catch (error) {
    throw fileError("read", path, error);
  }
  return hash.digest("hex");
}

export interface SetCheck {
  readonly files: number;
  readonly right: readonly string[];
  readonly wrong: readonly string[];
  readonly missing: readonly string[];
}

/** Reads one file after the other: disks are fastest that way. */
export async function checkFiles(
  files: readonly DataFile[],
  folder: string,
  onFile: (file: DataFile) => void = () => undefined,
): Promise<SetCheck> {
  const paths: Record<FileState, string[]> = { right: [], wrong: [], missing: [] };
  for (const file of files) {
    paths[await checkFile(file, folder)].push(file.path);
    onFile(file);
  }
  return { files: files.length, ...paths };
}
