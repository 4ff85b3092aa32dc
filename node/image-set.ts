/** Opens a set of image files for a fit or an evaluation. */
import { createHash } from "node:crypto";
import { basename, posix } from "node:path";
import { GaussianizeError } from "../src/errors.js";
import { abortError } from "../src/parallel/abort-error.js";
import type { ImageReading } from "../src/patches/image-reading.js";
import {
  ImageSet,
  type ImageSetOptions as CommonOptions,
  type SkippedImage,
  requireImages,
  tooSmall,
} from "../src/patches/image-set.js";
import { readArchive } from "./archives/archive-images.js";
import { RunReader } from "./archives/run-reader.js";
import { decodeBytes, decodeImage } from "./decode-image.js";
import { isArchive } from "./image-endings.js";
import { type DigestedHeader, type FileHeader, readImageHeader } from "./image-header.js";

export { ImageSet };
export type { SkippedImage };

export interface ImageSetOptions extends CommonOptions {
  /** Word for the pieces that images must have room for; default "patches". */
  readonly pieces?: string;
  /** Cancels the opening. */
  readonly signal?: AbortSignal;
  /** Called for each image. `total` is an estimate until all archives are read. */
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Reads the header of every file, and of every picture in tar archives (`.tar`), and skips those
 * that cannot be used.
 *
 * @throws GaussianizeError if none can be used
 *
 * @example
 * ```js
 * import { protocols } from "gaussianize/images";
 * import { embeddedPhotographs, openImageSet } from "gaussianize/node";
 *
 * const paths = embeddedPhotographs().map(({ path }) => path);
 * const set = await openImageSet(paths, protocols.bsds64);
 * const image = await set.load(0, 0);
 * console.log(set.images.length, image.pixels.length > 0); // 8 true
 * ```
 */
export async function openImageSet(
  paths: readonly string[],
  reading: ImageReading,
  options: ImageSetOptions = {},
): Promise<ImageSet> {
  requireImages(paths, reading);
  const { luminance, layout } = reading;
  const headers = await readImageHeaders(paths, layout.size, options);
  const hash = createHash("sha256");
  const found = headers.map((entry): FileHeader | SkippedImage => {
    if ("reason" in entry) return entry;
    const { digest, ...image } = entry;
    hash.update(digest);
    return image;
  });
  const archives = new RunReader(
    found.filter((entry): entry is FileHeader => !("reason" in entry)),
  );
  const files = {
    found,
    fingerprint: `sha256:${hash.digest("hex")}`,
    decode: async ({ path, archive }: FileHeader, index: number, until: number) =>
      archive === undefined
        ? decodeImage(path, luminance)
        : decodeBytes(await archives.read(index, until), path, luminance),
    nameOf: ({ path, archive }: FileHeader) =>
      archive === undefined ? basename(path) : posix.basename(path.slice(archive.length + 1)),
  };
  return new ImageSet(files, reading, options);
}

type Found = DigestedHeader | SkippedImage;

/** Enough to keep a disk busy, few enough for the limits on open files. */
const readAtOnce = 8;

/**
 * Reads headers without decoding: in the order of the paths, and of the images in an archive. If
 * `strict`, throws the reason of the first image in that order that cannot be used.
 */
async function readImageHeaders(
  paths: readonly string[],
  side: number,
  { strict, pieces = "patches", signal, onProgress }: ImageSetOptions,
): Promise<Found[]> {
  const found: Found[][] = paths.map(() => []);
  const count = new Count(paths);
  let [next, isOver] = [0, false];
  const readInTurn = async (): Promise<void> => {
    while (next < paths.length && !isOver) {
      if (signal?.aborted) throw abortError(signal);
      const index = next++;
      const path = paths[index];
      const list = found[index];
      await imagesAt(path, signal, (image, part) => {
        const entry = "reason" in image ? image : (tooSmall(image, side, pieces) ?? image);
        list.push(entry);
        if (strict && "reason" in entry) isOver = true;
        onProgress?.(...count.add(index, part));
      }).catch((error: unknown) => {
        isOver = true;
        throw error;
      });
      if (list.length === 0) list.push({ path, reason: `There are no images in ${path}.` });
    }
  };
  await Promise.all(Array.from({ length: readAtOnce }, readInTurn));
  const all = found.flat();
  const trouble = strict && all.find((entry) => "reason" in entry);
  if (trouble) throw new GaussianizeError("unusable-images", trouble.reason);
  return all;
}

async function imagesAt(
  path: string,
  signal: AbortSignal | undefined,
  onImage: (image: Found, part: number) => void,
): Promise<void> {
  if (isArchive(path)) return readArchive(path, signal, onImage);
  try {
    onImage(await readImageHeader(path), 1);
  } catch (error) {
    if (!(error instanceof GaussianizeError)) throw error;
    onImage({ path, reason: error.message }, 1);
  }
}

/** Counts images. The number in archives is estimated from the part that has been read. */
class Count {
  private done = 0;
  private inArchives = 0;
  /** Part of each archive that has been read, from 0 to 1, by its index. */
  private readonly parts = new Map<number, number>();
  /** Sum of the parts. */
  private read = 0;
  private readonly archives: number;

  constructor(private readonly paths: readonly string[]) {
    this.archives = paths.filter(isArchive).length;
  }

  /** Counts one more image of a path. Returns the images so far and in total. */
  add(index: number, part: number): [number, number] {
    this.done += 1;
    const files = this.paths.length - this.archives;
    if (this.archives === 0) return [this.done, files];
    if (isArchive(this.paths[index])) {
      this.inArchives += 1;
      this.read += part - (this.parts.get(index) ?? 0);
      this.parts.set(index, part);
    }
    const guess = Math.ceil((this.inArchives * this.archives) / Math.max(this.read, 1e-6));
    return [this.done, Math.max(this.done, files + guess)];
  }
}
