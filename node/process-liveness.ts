/** Whether a process of this host that belongs to a run is still there. */
import { readFile } from "node:fs/promises";

/** Of another process than this one. */
export async function isOtherAtWork(id: number): Promise<boolean> {
  if (id === process.pid) return false;
  try {
    process.kill(id, 0);
  } catch (error) {
    // It is there, but somebody else's.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  // A number may have been given to another program since; where the system tells, a look at it settles that. Of a process that has
  // ended and whose parent has not asked how, nothing is left to see.
  const command = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => undefined);
  return command === undefined || /node|gaussianize/.test(command);
}
