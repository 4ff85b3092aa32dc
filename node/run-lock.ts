/**
 * A lock file that lets one process at a time work on a run. It names the process and its host. A
 * lock of this host expires with its process. Its holder also touches it every 15 seconds, and a
 * lock of another host expires when it has not been touched for two minutes.
 */
import { link, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { GaussianizeError } from "../src/errors.js";
import { codeOf, fileError } from "./files.js";
import { temporaryNameFor } from "./write-atomically.js";

interface Holder {
  readonly process: number;
  readonly host: string;
}

const secondsBetweenTouches = 15;
/** Several touches, plus the difference between the clocks of two hosts. */
export const secondsUntilStale = 120;

/** Takes the lock, or throws an error that names its holder. Returns a function to release it. */
export async function takeLock(path: string): Promise<() => Promise<void>> {
  for (let attempt = 0; ; attempt++) {
    try {
      await create(path, JSON.stringify({ process: process.pid, host: hostname() }));
      return keepAlive(path);
    } catch (error) {
      // ENOENT: the holder of the lock has removed the draft with other temporary files.
      const isTaken = ["EEXIST", "ENOENT"].includes(codeOf(error));
      if (!isTaken || attempt > 0) throw fileError("write", path, error);
      await remove(path, await requireAbandoned(path));
    }
  }
}

/** Creates the file together with its text: an empty lock would look abandoned. */
async function create(path: string, text: string): Promise<void> {
  const draft = temporaryNameFor(path);
  try {
    await writeFile(draft, text);
    await link(draft, path);
  } catch (error) {
    // Without hard links, the lock is empty for a moment.
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(codeOf(error))) throw error;
    await writeFile(path, text, { flag: "wx" });
  } finally {
    await rm(draft, { force: true });
  }
}

/** Removes an abandoned lock with that text, but not one that another process has just taken. */
async function remove(path: string, text: string): Promise<void> {
  const aside = temporaryNameFor(path);
  try {
    await rename(path, aside);
    if ((await readFile(aside, "utf8")) !== text) await link(aside, path);
  } catch (error) {
    // Another process was faster. The next attempt to take the lock tells which.
    if (codeOf(error) !== "ENOENT") throw fileError("write", path, error);
  } finally {
    await rm(aside, { force: true });
  }
}

/** Touches the lock regularly until the returned function removes it. */
function keepAlive(path: string): () => Promise<void> {
  const timer = setInterval(() => {
    const now = new Date();
    // A short failure of the file system must not end a fit.
    utimes(path, now, now).catch(() => undefined);
  }, 1000 * secondsBetweenTouches);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await rm(path, { force: true });
  };
}

/** Returns the text of a lock that nobody holds, or throws. */
async function requireAbandoned(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch(() => "");
  const holder = holderIn(text);
  const touched = await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => -Infinity,
  );
  if (!holder || !(await isHeld(text, touched))) return text;
  const { process: id, host } = holder;
  const isHere = host === hostname();
  const wait = Math.ceil(secondsUntilStale - secondsSince(touched));
  const who = isHere ? `process ${id}` : `process ${id} on ${host}`;
  const remedy = isHere ? "delete" : `try again in ${wait} seconds, or delete`;
  throw new GaussianizeError(
    "cannot-write",
    `Another process is working on this run (${who}). If it is not, ${remedy} ${path}.`,
  );
}

/** Returns undefined if the file is incomplete because its writer was killed. */
function holderIn(text: string): Holder | undefined {
  try {
    const holder: unknown = JSON.parse(text);
    return typeof holder === "object" && holder !== null ? (holder as Holder) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a running process holds the lock with this text, last touched at that time (in ms). */
export async function isHeld(text: string, touched: number): Promise<boolean> {
  const holder = holderIn(text);
  if (!holder) return false;
  if (holder.host === hostname()) return isOtherAtWork(holder.process);
  return secondsSince(touched) < secondsUntilStale;
}

/** Returns at least 0, because the clock of another host may be ahead. */
function secondsSince(time: number): number {
  return Math.max(0, (Date.now() - time) / 1000);
}

/** Whether a process on this host is running, is not this one, and may belong to a run. */
export async function isOtherAtWork(id: number): Promise<boolean> {
  if (id === process.pid) return false;
  try {
    process.kill(id, 0);
  } catch (error) {
    // It is running under another user.
    return codeOf(error) === "EPERM";
  }
  // The id may have been reused by another program, and a zombie has an empty command line.
  const command = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => undefined);
  return command === undefined || /node|gaussianize/.test(command);
}
