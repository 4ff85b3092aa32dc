/** One process at a time works on a run: a file with its number, which a process that is gone has no more right to. */
import { open, readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { GaussianizeError } from "../src/errors.js";
import { fileError } from "./file-errors.js";

/** Who holds a lock. */
interface Holder {
  readonly process: number;
  readonly host: string;
}

/** Takes the lock, or says who has it; what is returned gives it back. */
export async function takeLock(path: string): Promise<() => Promise<void>> {
  for (let attempt = 0; ; attempt++) {
    try {
      const file = await open(path, "wx");
      await file.writeFile(JSON.stringify({ process: process.pid, host: hostname() }));
      await file.close();
      return () => rm(path, { force: true });
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === "EEXIST";
      if (!isTaken || attempt > 0) throw fileError("write", path, error);
      await requireAbandoned(path);
      await rm(path, { force: true });
    }
  }
}

async function requireAbandoned(path: string): Promise<void> {
  const holder = holderIn(await readFile(path, "utf8").catch(() => ""));
  if (!holder || !(await isAtWork(holder))) return;
  const where = holder.host === hostname() ? "" : ` on ${holder.host}`;
  throw new GaussianizeError(
    `Another process (${holder.process}${where}) is at work on this run; if it is not, delete ${path}.`,
  );
}

/** Undefined where the file was cut short: whoever wrote it was killed at once. */
function holderIn(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return undefined;
  }
}

/** Whether the text of a lock is that of a process at work. */
export async function isHeld(text: string): Promise<boolean> {
  const holder: unknown = holderIn(text);
  if (typeof holder !== "object" || holder === null) return false;
  return isAtWork(holder as Holder);
}

/** Nobody can know of processes of another host. */
async function isAtWork({ process: id, host }: Holder): Promise<boolean> {
  if (host !== hostname()) return true;
  try {
    process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  // A number may have been given to another program since; where the system tells, a look at it settles that.
  const command = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => undefined);
  return command === undefined || (/node|gaussianize/.test(command) && id !== process.pid);
}
