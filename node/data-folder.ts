/** The folder of the public image sets on this machine, and the files in it. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { GaussianizeError } from "../src/errors.js";
import { type DataFile, dataSet, filesOfSet } from "./data-sets.js";
import { codeOf, fileError } from "./files.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns --data if given, else GAUSSIANIZE_DATA, else the cache folder of the platform. */
export function dataFolder(
  { data }: { readonly data?: string | undefined },
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): string {
  return data ?? chosen(environment.GAUSSIANIZE_DATA) ?? cacheFolder(environment, platform);
}

/** Treats an empty variable as not set. */
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
  // The XDG specification says to ignore relative paths.
  const caches = environment.XDG_CACHE_HOME ?? "";
  return join(isAbsolute(caches) ? caches : join(home, ".cache"), "gaussianize");
}

/** Advice for a folder without sets, as the end of a sentence. */
export const howToGetSets =
  'fetch sets with "gaussianize data fetch <names>", or name their folder with --data';

/** Throws if the folder of the sets does not exist. */
export async function requireFolder(folder: string): Promise<void> {
  const about = await stat(folder).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw fileError("read", folder, error);
  });
  if (!about)
    throw new GaussianizeError("cannot-read", `There is no folder ${folder}; ${howToGetSets}.`);
  if (!about.isDirectory())
    throw new GaussianizeError("cannot-read", `${folder} is a file, not a folder.`);
}

/**
 * Returns the sorted paths of the images of a set, or of a part of it (`bsds300/train`). Ignores
 * other files in the folder, so that results do not depend on them.
 */
export async function imagesOfSet(name: string, folder: string): Promise<readonly string[]> {
  const set = dataSet(name.split("/")[0]);
  const part = { ...set, folders: set.folders.filter((each) => isWithin(each, name)) };
  // Throws the error for an unknown set, for example for bsds300/validation.
  if (part.folders.length === 0) dataSet(name);
  const files = filesOfSet(part);
  const present = await presentFiles(files, folder);
  if (present.length < files.length) throw missing(name, folder, files.length, present.length);
  return files.map(({ path }) => join(folder, path));
}

/** Returns the error for a set that is missing or incomplete. */
export function missing(name: string, folder: string, files: number, present: number) {
  const what = present === 0 ? "is not in" : `has only ${present} of its ${files} files in`;
  const remedy = `gaussianize data fetch ${name.split("/")[0]}, or --data`;
  return new GaussianizeError("cannot-read", `${name} ${what} ${folder}: ${remedy}.`);
}

/** Returns the files that exist and have the right size. Quick, unlike {@link checkFiles}. */
export async function presentFiles(
  files: readonly DataFile[],
  folder: string,
): Promise<readonly DataFile[]> {
  const sizes = await Promise.all(files.map(({ path }) => sizeOf(join(folder, path))));
  return files.filter(({ bytes }, k) => sizes[k] === bytes);
}

/** Returns the size of a file in bytes, or undefined if there is no such file. */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const about = await stat(path);
    return about.isFile() ? about.size : undefined;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return undefined;
    throw fileError("read", path, error);
  }
}

function isWithin(folder: string, name: string): boolean {
  return `${folder}/`.startsWith(`${name}/`);
}

/** Result of comparing a file with the SHA-256 of the file that its publisher distributes. */
type FileState = "right" | "wrong" | "missing";

async function checkFile(file: DataFile, folder: string): Promise<FileState> {
  const path = join(folder, file.path);
  const size = await sizeOf(path);
  if (size === undefined) return "missing";
  return size === file.bytes && (await sha256Of(path)) === file.sha256 ? "right" : "wrong";
}

/** Returns the SHA-256 of a file, in hexadecimal. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  try {
    for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  } catch (error) {
    throw fileError("read", path, error);
  }
  return hash.digest("hex");
}

/** Number of files, and the paths of those in each state. */
export type SetCheck = Readonly<Record<FileState, readonly string[]>> & { readonly files: number };

/** Checks files one after the other, because disks are fastest that way. */
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
