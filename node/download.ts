/** Downloads files whose size and SHA-256 are known, and resumes interrupted downloads. */
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { GaussianizeError } from "../src/errors.js";
import { sha256Of, sizeOf } from "./data-folder.js";
import type { DataFile } from "./data-sets.js";
import { failTo } from "./files.js";
import { PartialFile } from "./partial-file.js";
import { Interruption, type TransferOptions, transfer } from "./transfer.js";

export interface Download extends DataFile {
  readonly address: string;
}

export interface DownloadOptions extends TransferOptions {
  /** Milliseconds before the second attempt, the third … No further attempts are made. */
  readonly waits?: readonly number[] | undefined;
}

const usualWaits: readonly number[] = [500, 1500, 4000];

/** Returns the name of a file until it is complete and its checksum is verified. */
export function partialPath(path: string): string {
  return `${path}.part`;
}

/**
 * Fetches a file. It gets its name only after its size and SHA-256 are verified; until then a
 * partial file lies beside it, from which the next download resumes. Deletes a wrong result.
 */
export async function download(wanted: Download, options: DownloadOptions = {}): Promise<void> {
  const partial = partialPath(wanted.path);
  let isPatched = await receiveAll(wanted, options);
  let sha256 = await sha256Of(partial);
  if (sha256 !== wanted.sha256 && isPatched) {
    // Its first part may come from another file: try once more from the start.
    await remove(partial);
    isPatched = await receiveAll(wanted, options);
    sha256 = await sha256Of(partial);
  }
  if (sha256 !== wanted.sha256) {
    await remove(partial);
    throw new GaussianizeError(
      "file-damaged",
      `${wanted.address} has the wrong SHA-256 (expected ${wanted.sha256}, received ${sha256}). The downloaded file was deleted.`,
    );
  }
  await rename(partial, wanted.path).catch(failTo("write", wanted.path));
}

/** Receives all bytes, retrying if needed. Returns whether they come from several answers. */
async function receiveAll(
  { address, path, bytes }: Download,
  options: DownloadOptions,
): Promise<boolean> {
  const { waits = usualWaits, signal } = options;
  const source = { address, bytes };
  const file = await PartialFile.open(partialPath(path));
  try {
    for (let attempt = 0; file.received !== bytes; attempt++) {
      try {
        await transfer(source, file, options);
      } catch (error) {
        if (!(error instanceof Interruption) || attempt >= waits.length) throw error;
        const wait = Math.max(waits[attempt], error.waitInMilliseconds);
        await sleep(wait, undefined, signal ? { signal } : {});
      }
    }
    await file.sync();
    return file.isPatched;
  } finally {
    await file.close();
  }
}

async function remove(path: string): Promise<void> {
  await rm(path, { force: true }).catch(failTo("write", path));
}

/** Several at a time hide latency; more would be rude to a free server. */
const simultaneousDownloads = 4;

interface FetchOptions extends Omit<DownloadOptions, "onProgress" | "signal"> {
  /** Called after every piece with the bytes fetched so far, of all files together. */
  readonly onProgress?: (bytes: number) => void;
}

/**
 * Fetches files from `base` into the data folder. The first failure cancels the others, which keep
 * their partial files, so that an unreachable server is reported once and not once per file.
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
    for (const file of queue) {
      const path = join(folder, file.path);
      let before = await bytesThere(path, file.bytes);
      const countPiece = (received: number): void => {
        total += received - before;
        before = received;
        onProgress?.(total);
      };
      const wanted = { ...file, path, address: addressOf(base, file.path) };
      await download(wanted, { ...options, signal: others.signal, onProgress: countPiece });
    }
  };
  const slots = Array.from({ length: simultaneousDownloads }, fetchNext);
  try {
    await Promise.all(slots);
  } catch (error) {
    others.abort(error);
    // Nothing may be written after this function returns.
    await Promise.allSettled(slots);
    throw error;
  }
}

/** Returns the bytes that {@link fetchFiles} still has to fetch. */
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

/** Appends a path to an address and keeps the query. */
function addressOf(base: string, path: string): string {
  const address = new URL(base);
  address.pathname = `${address.pathname.replace(/\/$/, "")}/${path}`;
  return address.href;
}
