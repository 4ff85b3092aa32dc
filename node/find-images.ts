/** Finds the image files that a user names with paths, folders, globs and lists. */
import { readFile, readdir, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve, sep } from "node:path";
import { GaussianizeError, expected, reworded } from "../src/errors.js";
import { atMost } from "../src/parallel/at-most.js";
import { compareNames } from "../src/runs/compare-names.js";
import { exists, failTo } from "./files.js";
import {
  isArchive,
  isCompressedArchive,
  isImage,
  isOtherPicture,
  knownEndings,
} from "./image-endings.js";

export interface FindImagesOptions {
  /** Folder of relative patterns; default: the working folder. */
  readonly folder?: string;
  /** Whether to find tar archives of images too, for `openImageSet`; default true. */
  readonly archives?: boolean;
  /** Called for each unsupported picture (GIF, BMP, HEIC …) or compressed archive in a folder. */
  readonly onPassedOver?: (path: string) => void;
}

/**
 * Returns the image files and tar archives that the patterns name, each once, pattern by pattern:
 *
 *   photo.png      that file, whatever its ending
 *   photos.tar     that archive, with all images in it
 *   photos         all images in that folder and its subfolders, sorted by name
 *   photos/*.png   the images that match: * ? ** {a,b} [a-z], sorted by name
 *   @list.txt      the files and folders on its lines, relative to the list, in its order
 *
 * Skips hidden files and folders unless they are named. Throws if a pattern finds nothing, because
 * it is probably mistyped.
 *
 * @example
 * ```js
 * import { embeddedPhotographs, findImages } from "gaussianize/node";
 * import { dirname } from "node:path";
 *
 * const [{ path }] = embeddedPhotographs();
 * console.log((await findImages([dirname(path)])).length > 0); // true
 * ```
 */
export async function findImages(
  patterns: readonly string[],
  { folder = "", archives = true, onPassedOver }: FindImagesOptions = {},
): Promise<string[]> {
  if (patterns.length === 0) {
    throw expected("patterns", "name at least one file, folder, glob or @list", patterns);
  }
  const taken: Taken = { archives, onPassedOver };
  return inOrder(
    patterns.map((pattern) =>
      pattern.startsWith("@")
        ? listed(within(folder, pattern.slice(1)), taken)
        : matching(folder, pattern, taken),
    ),
  );
}

interface Taken {
  readonly archives: boolean;
  readonly onPassedOver: FindImagesOptions["onPassedOver"];
}

/** Looks everything up at once. If several patterns fail, reports the first. */
async function inOrder(lookups: readonly Promise<string[]>[]): Promise<string[]> {
  const found = new Map<string, string>();
  for (const outcome of await Promise.allSettled(lookups)) {
    if (outcome.status === "rejected") throw outcome.reason as Error;
    for (const path of outcome.value) {
      const place = resolve(path);
      if (!found.has(place)) found.set(place, path);
    }
  }
  return [...found.values()];
}

/** Takes a name that exists literally, so that photo[1].png is found. */
async function matching(folder: string, pattern: string, taken: Taken): Promise<string[]> {
  if (pattern === "") throw expected("a pattern", "be a path, a glob or @list", pattern);
  const path = within(folder, pattern);
  const isGlob = /[*?[{(]/.test(pattern) && !(await exists(path));
  return isGlob ? globbed(folder, pattern, taken) : named(path, taken);
}

async function globbed(folder: string, pattern: string, taken: Taken): Promise<string[]> {
  // Loaded late: shells expand most globs themselves.
  const { glob } = await import("tinyglobby");
  const found = await glob(pattern.replaceAll(sep, "/"), {
    cwd: folder === "" ? "." : folder,
    absolute: isAbsolute(pattern),
    // As in a shell, photos/* does not search subfolders.
    expandDirectories: false,
  });
  const images = found.filter((path) => isTaken(path, taken)).map((path) => within(folder, path));
  if (images.length === 0) throw nothingFound(`that match ${within(folder, pattern)}`, taken);
  return inNameOrder(images);
}

/** Finds images at a path that the user named. */
async function named(path: string, taken: Taken): Promise<string[]> {
  const stats = await stat(path).catch(failTo("read", path));
  if (stats.isFile()) return [path];
  // Opening a pipe would wait for somebody to write to it.
  if (!stats.isDirectory()) {
    throw new GaussianizeError(
      "cannot-read",
      `Cannot read ${path}: it is neither a file nor a folder.`,
    );
  }
  const images = await imagesBelow(path, taken);
  if (images.length === 0) throw nothingFound(`in ${path}`, taken);
  return inNameOrder(images);
}

/** Follows links to files but not links to folders, which may form a loop. */
async function imagesBelow(folder: string, taken: Taken): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(failTo("read", folder));
  const images: string[] = [];
  for (const entry of entries) {
    if (entry.name.startsWith(".")) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      for (const image of await imagesBelow(path, taken)) images.push(image);
    } else if (entry.isFile() || entry.isSymbolicLink()) {
      if (isTaken(path, taken)) images.push(path);
      else if (isPassedOver(path, taken)) taken.onPassedOver?.(path);
    }
  }
  return images;
}

/** Limits open files while a long list is checked. */
const lookupsAtOnce = 16;

/** Reads a list. Its lines are paths, not patterns, so that programs need not escape them. */
async function listed(list: string, taken: Taken): Promise<string[]> {
  const text = await readFile(list, "utf8").catch(failTo("read", list));
  if (text.includes("\0")) {
    throw new GaussianizeError(
      "unsupported-file",
      `Cannot read ${list} as a list of images: it is not a text file.`,
    );
  }
  const lines = text.replace(/^\uFEFF/, "").split("\n");
  const gate = atMost(lookupsAtOnce);
  const lookups = lines.flatMap((line, k) =>
    line.trim() === "" ? [] : [gate(() => namedInList(list, k + 1, line.trim(), taken))],
  );
  if (lookups.length === 0)
    throw new GaussianizeError("unusable-images", `Found no images in ${list}: it is empty.`);
  return inOrder(lookups);
}

async function namedInList(
  list: string,
  line: number,
  path: string,
  taken: Taken,
): Promise<string[]> {
  try {
    return await named(within(dirname(list), path), taken);
  } catch (error) {
    if (!(error instanceof GaussianizeError)) throw error;
    throw reworded(error, `${list}, line ${line}: ${error.message}`);
  }
}

function nothingFound(where: string, { archives }: Taken): GaussianizeError {
  return new GaussianizeError(
    "unusable-images",
    `Found no images ${where}: their names must end in ${knownEndings(archives)}.`,
  );
}

function isTaken(path: string, { archives }: Taken): boolean {
  return isImage(path) || (archives && isArchive(path));
}

function isPassedOver(path: string, { archives }: Taken): boolean {
  return isOtherPicture(path) || (archives && isCompressedArchive(path));
}

function within(folder: string, path: string): string {
  return folder === "" || isAbsolute(path) ? path : join(folder, path);
}

/** Sorts paths by folder and name. Folders stay together. */
export function inNameOrder(paths: readonly string[]): string[] {
  return paths
    .map((path) => ({ path, parts: path.split(sep) }))
    .sort((a, b) => compareParts(a.parts, b.parts))
    .map(({ path }) => path);
}

function compareParts(a: readonly string[], b: readonly string[]): number {
  const common = Math.min(a.length, b.length);
  for (let k = 0; k < common; k++) {
    const order = compareNames(a[k], b[k]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
