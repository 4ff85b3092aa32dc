import { join } from "node:path";
import { sizeOf } from "./data-folder.js";
import type { DataFile } from "./data-sets.js";
import { type DownloadOptions, download, partialPath } from "./download.js";

/** Several at a time hide the waiting for answers; more would be rude to a server that costs nothing. */
const simultaneousDownloads = 4;

export interface FetchOptions extends Omit<DownloadOptions, "onProgress" | "signal"> {
  /** After every piece: bytes fetched since the start, of all files together. */
  readonly onProgress?: (bytes: number) => void;
}

/**
 * Fetches files from `base` into the data folder. The first that fails stops the others, which keep what they have: a server
 * that cannot be reached is said once, not once per file.
 */
export async function fetchFiles(
  files: readonly DataFile[],
  base: string,
  folder: string,
  { onProgress, ...options }: FetchOptions = {},
): Promise<void> {
  const others = new AbortController();
  const queue = files.values();
  let total = 0;
  const fetchNext = async (): Promise<void> => {
    for (const { path, ...sums } of queue) {
      const target = join(folder, path);
      let before = await bytesThere(target, sums.bytes);
      const countPiece = (received: number): void => {
        total += received - before;
        before = received;
        onProgress?.(total);
      };
      const wanted = { address: addressOf(base, path), path: target, ...sums };
      await download(wanted, { ...options, signal: others.signal, onProgress: countPiece });
    }
  };
  const slots = Array.from({ length: simultaneousDownloads }, fetchNext);
  try {
    await Promise.all(slots);
  } catch (error) {
    others.abort(error);
    // Awaited, so that nothing is written after this has returned.
    await Promise.allSettled(slots);
    throw error;
  }
}

/** What {@link fetchFiles} will have to fetch: interrupted downloads have begun already. */
export async function bytesToFetch(files: readonly DataFile[], folder: string): Promise<number> {
  let total = 0;
  for (const { path, bytes } of files)
    total += bytes - (await bytesThere(join(folder, path), bytes));
  return total;
}

async function bytesThere(path: string, bytes: number): Promise<number> {
  const there = (await sizeOf(partialPath(path))) ?? 0;
  return there <= bytes ? there : 0;
}

/** A path below an address, which keeps its query. */
export function addressOf(base: string, path: string): string {
  const address = new URL(base);
  address.pathname = `${address.pathname.replace(/\/$/, "")}/${path}`;
  return address.href;
}
