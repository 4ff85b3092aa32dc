/** From what a user types to the files that are meant. */
import { readFile, readdir, stat } from "node:fs/promises";
import { dirname, extname, isAbsolute, join, resolve, sep } from "node:path";
import { GaussianizeError, expected } from "../src/errors.js";
import { fileError } from "./file-errors.js";
import { inNaturalOrder } from "./natural-order.js";

/** The endings by which folders and globs know an image, in small or capital letters. */
const imageEndings: readonly string[] = [".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".iml"];

/** Endings of pictures that are passed over in folders: what no reader of ours knows, or what seldom is a photograph. */
const otherEndings: readonly string[] = [
  ...[
    ".gif",
    ".bmp",
    ".heic",
    ".heif",
    ".avif",
    ".jxl",
    ".jp2",
    ".j2k",
    ".svg",
    ".ico",
    ".tga",
    ".psd",
    ".xcf",
  ],
  ...[".ppm", ".pgm", ".pbm", ".pnm", ".pfm", ".exr", ".hdr", ".fits", ".dcm"],
  ...[".dng", ".cr2", ".cr3", ".nef", ".arw", ".orf", ".rw2", ".raf", ".pef", ".raw"],
];

export interface FindImagesOptions {
  /** What relative patterns are relative to, default the working folder. */
  readonly folder?: string;
  /** Called with each picture of another kind in a folder, by its ending (GIF, BMP, HEIC …). */
  readonly onPassedOver?: (path: string) => void;
}

/**
 * The image files that patterns name, each once, pattern by pattern:
 *
 *   photo.png      that file, whatever its ending
 *   photos         all images in that folder and those below it, in natural order
 *   photos/*.png   the images that match: * ? ** {a,b} [a-z], in natural order
 *   @list.txt      the files and folders on its lines, relative to the list, in its order
 *
 * Hidden files and folders are left out unless they are named. A pattern that finds nothing is an error: it is
 * more likely mistyped than meant.
 */
export async function findImages(
  patterns: readonly string[],
  { folder = "", onPassedOver }: FindImagesOptions = {},
): Promise<string[]> {
  if (patterns.length === 0) {
    throw expected("patterns", "name at least one file, folder, glob or @list", patterns);
  }
  return inOrder(
    patterns.map((pattern) =>
      pattern.startsWith("@")
        ? listed(within(folder, pattern.slice(1)), onPassedOver)
        : matching(folder, pattern, onPassedOver),
    ),
  );
}

type PassedOver = FindImagesOptions["onPassedOver"];

/** Everything is looked up at once, but the first pattern that fails is the one that is reported. */
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
async function matching(
  folder: string,
  pattern: string,
  onPassedOver: PassedOver,
): Promise<string[]> {
  if (pattern === "") throw expected("a pattern", "be a path, a glob or @list", pattern);
  const path = within(folder, pattern);
  const isGlob = /[*?[{(]/.test(pattern) && !(await exists(path));
  return isGlob ? globbed(folder, pattern) : named(path, onPassedOver);
}

async function globbed(folder: string, pattern: string): Promise<string[]> {
  // Loaded late: shells expand most globs themselves.
  const { glob } = await import("tinyglobby");
  const found = await glob(pattern.replaceAll(sep, "/"), {
    cwd: folder === "" ? "." : folder,
    absolute: isAbsolute(pattern),
    // As in a shell, photos/* does not reach into the folders below.
    expandDirectories: false,
  });
  const images = found.filter(isImage).map((path) => within(folder, path));
  if (images.length === 0) throw nothingFound(`that match ${within(folder, pattern)}`);
  return inNaturalOrder(images);
}

/** A file or a folder that somebody named. */
async function named(path: string, onPassedOver: PassedOver): Promise<string[]> {
  const { isFolder } = await stat(path).then(
    (stats) => ({ isFolder: stats.isDirectory() }),
    (error: unknown) => {
      throw fileError("read", path, error);
    },
  );
  if (!isFolder) return [path];
  const images = await imagesBelow(path, onPassedOver);
  if (images.length === 0) throw nothingFound(`in ${path}`);
  return inNaturalOrder(images);
}

/** Links to files count, links to folders do not: they may lead in a circle. */
async function imagesBelow(folder: string, onPassedOver: PassedOver): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw fileError("read", folder, error);
  });
  const images: string[] = [];
  for (const entry of entries) {
    if (entry.name.startsWith(".")) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      for (const image of await imagesBelow(path, onPassedOver)) images.push(image);
    } else if (entry.isFile() || entry.isSymbolicLink()) {
      if (isImage(path)) images.push(path);
      else if (otherEndings.includes(endingOf(path))) onPassedOver?.(path);
    }
  }
  return images;
}

/** The lines of a list are paths, not patterns: whatever wrote them need not quote anything. */
async function listed(list: string, onPassedOver: PassedOver): Promise<string[]> {
  const text = await readFile(list, "utf8").catch((error: unknown) => {
    throw fileError("read", list, error);
  });
  if (text.includes("\0")) {
    throw new GaussianizeError(`Cannot read ${list} as a list of images: it is not a text file.`);
  }
  const lines = text.replace(/^\uFEFF/, "").split("\n");
  const lookups = lines.flatMap((line, k) =>
    line.trim() === "" ? [] : [namedInList(list, k + 1, line.trim(), onPassedOver)],
  );
  if (lookups.length === 0) throw new GaussianizeError(`Found no images in ${list}: it is empty.`);
  return inOrder(lookups);
}

async function namedInList(
  list: string,
  line: number,
  path: string,
  onPassedOver: PassedOver,
): Promise<string[]> {
  try {
    return await named(within(dirname(list), path), onPassedOver);
  } catch (error) {
    if (!(error instanceof GaussianizeError)) throw error;
    throw new GaussianizeError(`${list}, line ${line}: ${error.message}`, { cause: error });
  }
}

function nothingFound(where: string): GaussianizeError {
  return new GaussianizeError(
    `Found no images ${where}: their names must end in ${knownEndings()}.`,
  );
}

/** .png, .jpg … or .iml */
export function knownEndings(): string {
  return `${imageEndings.slice(0, -1).join(", ")} or ${imageEndings.at(-1) ?? ""}`;
}

function isImage(path: string): boolean {
  return imageEndings.includes(endingOf(path));
}

function endingOf(path: string): string {
  return extname(path).toLowerCase();
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
