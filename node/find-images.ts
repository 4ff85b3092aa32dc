/** From what a user types to the files that are meant. */
import { readFile, readdir, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve, sep } from "node:path";
import { GaussianizeError, expected, reworded } from "../src/errors.js";
import { atMost } from "../src/parallel/at-most.js";
import { compareNames } from "../src/runs/compare-names.js";
import { fileError } from "./file-errors.js";
import {
  isArchive,
  isCompressedArchive,
  isImage,
  isOtherPicture,
  knownEndings,
} from "./image-endings.js";

export interface FindImagesOptions {
  /** What relative patterns are relative to, default the working folder. */
  readonly folder?: string;
  /** Whether tar archives of images count, for `openImageSet`; default true. */
  readonly archives?: boolean;
  /**
   * Called with each picture of another kind in a folder, by its ending (GIF, BMP, HEIC …), and
   * with compressed archives.
   */
  readonly onPassedOver?: (path: string) => void;
}

/**
 * The image files, and tar archives of images, that patterns name, each once, pattern by pattern:
 *
 *   photo.png      that file, whatever its ending
 *   photos.tar     that archive, with all images in it
 *   photos         all images in that folder and those below it, in natural order
 *   photos/*.png   the images that match: * ? ** {a,b} [a-z], in natural order
 *   @list.txt      the files and folders on its lines, relative to the list, in its order
 *
 * Hidden files and folders are left out unless they are named. A pattern that finds nothing is an
 * error: it is more likely mistyped than meant.
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

/**
 * Everything is looked up at once, but the first pattern that fails is the one that is reported.
 */
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

/** A name that exists is taken literally, so that photo[1].png is found. */
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
    // As in a shell, photos/* does not reach into the folders below.
    expandDirectories: false,
  });
  const images = found.filter((path) => isTaken(path, taken)).map((path) => within(folder, path));
  if (images.length === 0) throw nothingFound(`that match ${within(folder, pattern)}`, taken);
  return inNaturalOrder(images);
}

/** A file or a folder that somebody named. */
async function named(path: string, taken: Taken): Promise<string[]> {
  const stats = await stat(path).catch((error: unknown) => {
    throw fileError("read", path, error);
  });
  if (stats.isFile()) return [path];
  // Who opens a pipe waits until somebody writes to it.
  if (!stats.isDirectory()) {
    throw new GaussianizeError(
      "cannot-read",
      `Cannot read ${path}: it is neither a file nor a folder.`,
    );
  }
  const images = await imagesBelow(path, taken);
  if (images.length === 0) throw nothingFound(`in ${path}`, taken);
  return inNaturalOrder(images);
}

/** Links to files count, links to folders do not: they may lead in a circle. */
async function imagesBelow(folder: string, taken: Taken): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw fileError("read", folder, error);
  });
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

/** Of a list that may be long. */
const lookupsAtOnce = 16;

/** The lines of a list are paths, not patterns: whatever wrote them need not quote anything. */
async function listed(list: string, taken: Taken): Promise<string[]> {
  const text = await readFile(list, "utf8").catch((error: unknown) => {
    throw fileError("read", list, error);
  });
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

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/**
 * Sorts paths folder by folder as people would: img2 before img10, capitals beside small letters.
 */
export function inNaturalOrder(paths: readonly string[]): string[] {
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
