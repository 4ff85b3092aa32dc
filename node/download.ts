import { rename, rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { GaussianizeError } from "../src/errors.js";
import { sha256Of } from "./data-check.js";
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
 * Fetches a file whose size and SHA-256 are known. It gets its name only when both are right; until then its beginning lies
 * beside it, and the next download continues there. Where the result is wrong, nothing of it stays.
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
      `${wanted.address} has the wrong SHA-256 (expected ${wanted.sha256}, received ${sha256}); what was fetched of it is deleted.`,
    );
  }
  await rename(partial, wanted.path).catch((error: unknown) => {
    throw fileError("write", wanted.path, error);
  });
}

/** All bytes into the partial file, in as many attempts as it takes; whether they come from several answers. */
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
