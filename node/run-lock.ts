/**
 * One process at a time works on a run: a file with its number, which a process that is gone has no
 * more right to. Nobody can know of processes of another host; so whoever holds a lock touches it
 * now and then, and one that was not touched for long is nobody's.
 */
import { link, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { GaussianizeError } from "../src/errors.js";
import { fileError } from "./file-errors.js";
import { temporaryNameFor } from "./write-atomically.js";

/** Who holds a lock. */
interface Holder {
  readonly process: number;
  readonly host: string;
}

const secondsBetweenTouches = 15;
/** Several touches, and what the clocks of two hosts may differ by. */
export const secondsUntilStale = 120;

/** Takes the lock, or says who has it; what is returned gives it back. */
export async function takeLock(path: string): Promise<() => Promise<void>> {
  for (let attempt = 0; ; attempt++) {
    try {
      await create(path, JSON.stringify({ process: process.pid, host: hostname() }));
      return keepAlive(path);
    } catch (error) {
      // Or the draft is gone: whoever has the lock sweeps its folder.
      const isTaken = ["EEXIST", "ENOENT"].includes(codeOf(error));
      if (!isTaken || attempt > 0) throw fileError("write", path, error);
      await remove(path, await requireAbandoned(path));
    }
  }
}

/** With its text at once: who saw it empty would take it for abandoned. */
async function create(path: string, text: string): Promise<void> {
  const draft = temporaryNameFor(path);
  try {
    await writeFile(draft, text);
    await link(draft, path);
  } catch (error) {
    // File systems without links: then there is a moment in which it is empty.
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(codeOf(error))) throw error;
    await writeFile(path, text, { flag: "wx" });
  } finally {
    await rm(draft, { force: true });
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}

/** An abandoned lock with that text; one that another process has put there meanwhile stays. */
async function remove(path: string, text: string): Promise<void> {
  const aside = temporaryNameFor(path);
  try {
    await rename(path, aside);
    if ((await readFile(aside, "utf8")) !== text) await link(aside, path);
  } catch (error) {
    // Somebody else was faster; who has the lock now is seen when it is taken.
    if (codeOf(error) !== "ENOENT") throw fileError("write", path, error);
  } finally {
    await rm(aside, { force: true });
  }
}

/** Until what is returned is called. */
function keepAlive(path: string): () => Promise<void> {
  const timer = setInterval(() => {
    const now = new Date();
    // A file system that is away for a moment does not end a fit.
    utimes(path, now, now).catch(() => undefined);
  }, 1000 * secondsBetweenTouches);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await rm(path, { force: true });
  };
}

/** The text of a lock that nobody holds. */
async function requireAbandoned(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch(() => "");
  const holder = holderIn(text);
  const touched = await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => -Infinity,
  );
  if (!holder || !(await isHeld(text, touched))) return text;
  const { process: id, host } = holder;
  if (host === hostname()) {
    throw new GaussianizeError(
      "cannot-write",
      `Another process (${id}) is at work on this run; if it is not, delete ${path}.`,
    );
  }
  const wait = Math.ceil(secondsUntilStale - secondsSince(touched));
  throw new GaussianizeError(
    "cannot-write",
    `Another process (${id} on ${host}) is at work on this run; if it is not, try again in ${wait} seconds, or delete ${path}.`,
  );
}

/** Undefined where the file was cut short: whoever wrote it was killed at once. */
function holderIn(text: string): Holder | undefined {
  try {
    const holder: unknown = JSON.parse(text);
    return typeof holder === "object" && holder !== null ? (holder as Holder) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether the text of a lock, and when it was last touched (as Date.now() counts), are those of a
 * process at work.
 */
export async function isHeld(text: string, touched: number): Promise<boolean> {
  const holder = holderIn(text);
  if (!holder) return false;
  if (holder.host === hostname()) return isOtherAtWork(holder.process);
  return secondsSince(touched) < secondsUntilStale;
}

/** Never negative: the clock of another host may be ahead of this one. */
function secondsSince(time: number): number {
  return Math.max(0, (Date.now() - time) / 1000);
}

/** Whether another process of this host that belongs to a run is still there. */
export async function isOtherAtWork(id: number): Promise<boolean> {
  if (id === process.pid) return false;
  try {
    process.kill(id, 0);
  } catch (error) {
    // It is there, but somebody else's.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  // A number may have been given to another program since; where the system tells, a look at it
  // settles that. Of a process that has ended and whose parent has not asked how, nothing is left
  // to see.
  const command = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => undefined);
  return command === undefined || /node|gaussianize/.test(command);
}
