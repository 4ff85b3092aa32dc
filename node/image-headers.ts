/** Looks at many images, a few at a time, without decoding them. */
import { GaussianizeError } from "../src/errors.js";
import { abortError } from "../src/parallel/abort-error.js";
import { type SkippedImage, tooSmall } from "../src/patches/image-set.js";
import { readArchive } from "./archives/archive-images.js";
import { isArchive } from "./image-endings.js";
import { type DigestedHeader, readImageHeader } from "./image-header.js";

export interface HeaderOptions {
  /** The first image that cannot be used is an error; otherwise it is left out and listed. */
  readonly strict?: boolean;
  /** What images must have room for, as sentences call it; default "patches". */
  readonly pieces?: string;
  /** Ends the opening. */
  readonly signal?: AbortSignal;
  /**
   * How many images were looked at, of how many; where there are archives, about so many until they
   * were all looked at.
   */
  readonly onProgress?: (done: number, total: number) => void;
}

type Found = DigestedHeader | SkippedImage;

/** Enough to keep a disk busy, few enough for the limits on open files. */
const readAtOnce = 8;

/**
 * In the order of the paths, those of an archive in its order. Where it is strict, the first image
 * in that order that cannot be used is the one that is reported.
 */
export async function readImageHeaders(
  paths: readonly string[],
  side: number,
  { strict, pieces = "patches", signal, onProgress }: HeaderOptions,
): Promise<Found[]> {
  const found: Found[][] = [];
  const count = new Count(paths);
  let [next, isOver] = [0, false];
  const readInTurn = async (): Promise<void> => {
    while (next < paths.length && !isOver) {
      if (signal?.aborted) throw abortError(signal);
      const index = next++;
      const list: Found[] = [];
      found[index] = list;
      await imagesAt(paths[index], signal, (image, part) => {
        const entry = "reason" in image ? image : (tooSmall(image, side, pieces) ?? image);
        list.push(entry);
        if (strict && "reason" in entry) isOver = true;
        onProgress?.(...count.add(index, part));
      }).catch((error: unknown) => {
        isOver = true;
        throw error;
      });
      if (list.length === 0) list.push(noImages(paths[index]));
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

function noImages(path: string): SkippedImage {
  return { path, reason: `There are no images in ${path}.` };
}

/**
 * How many images there are is known of files; of archives it is guessed from the part of them that
 * was read.
 */
class Count {
  private done = 0;
  private inArchives = 0;
  /** Of each archive, from 0 to 1, and together. */
  private readonly parts = new Map<number, number>();
  private read = 0;
  private readonly archives: number;

  constructor(private readonly paths: readonly string[]) {
    this.archives = paths.filter(isArchive).length;
  }

  /** One more image of that path; so many, of so many. */
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
