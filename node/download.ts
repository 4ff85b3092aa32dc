import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { GaussianizeError } from "../src/errors.js";
import { sha256Of, sizeOf } from "./data-folder.js";
import type { DataFile } from "./data-sets.js";
import { fileError } from "./file-errors.js";
import { Interruption } from "./network-errors.js";
import { PartialFile } from "./partial-file.js";
import { type TransferOptions, transfer } from "./transfer.js";

export interface Download {
  readonly address: string;
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface DownloadOptions extends TransferOptions {
  /** Milliseconds before the second attempt, the third …; their number limits the attempts. */
  readonly waits?: readonly number[] | undefined;
}

const usualWaits: readonly number[] = [500, 1500, 4000];

/** What a file is called until it is complete and its checksum right. */
export function partialPath(path: string): string {
  return `${path}.part`;
}

/**
 * Fetches a file whose size and SHA-256 are known. It gets its name only when both are right; until
 * then its beginning lies beside it, and the next download continues there. Where the result is
 * wrong, nothing of it stays.
 */
export async function download(wanted: Download, options: DownloadOptions = {}): Promise<void> {
  const partial = partialPath(wanted.path);
  let isPatched = await receiveAll(wanted, options);
  let sha256 = await sha256Of(partial);
  if (sha256 !== wanted.sha256 && isPatched) {
    // Its beginning may have been that of another file: once more, from the start.
    await remove(partial);
    isPatched = await receiveAll(wanted, options);
    sha256 = await sha256Of(partial);
  }
  if (sha256 !== wanted.sha256) {
    await remove(partial);
    throw new GaussianizeError(
      "file-damaged",
      `${wanted.address} has the wrong SHA-256 (expected ${wanted.sha256}, received ${sha256}); what was fetched of it is deleted.`,
    );
  }
  await rename(partial, wanted.path).catch((error: unknown) => {
    throw fileError("write", wanted.path, error);
  });
}

/**
 * All bytes into the partial file, in as many attempts as it takes; whether they come from several
 * answers.
 */
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
  await rm(path, { force: true }).catch((error: unknown) => {
    throw fileError("write", path, error);
  });
}

/**
 * Several at a time hide the waiting for answers; more would be rude to a server that costs
 * nothing.
 */
const simultaneousDownloads = 4;

interface FetchOptions extends Omit<DownloadOptions, "onProgress" | "signal"> {
  /** After every piece: bytes fetched since the start, of all files together. */
  readonly onProgress?: (bytes: number) => void;
}

/**
 * Fetches files from `base` into the data folder. The first that fails stops the others, which keep
 * what they have: a server that cannot be reached is said once, not once per file.
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
function addressOf(base: string, path: string): string {
  const address = new URL(base);
  address.pathname = `${address.pathname.replace(/\/$/, "")}/${path}`;
  return address.href;
}
