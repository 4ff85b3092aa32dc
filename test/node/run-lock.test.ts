/** Locks of runs, of this host and of others; the times are those of files, and nobody waits. */
import { access, readFile, readdir, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { isHeld, secondsUntilStale, takeLock } from "../../node/run-lock.js";
import { temporaryFolder } from "../support/folders.js";

let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder("lock");
});
afterEach(() => {
  vi.useRealTimers();
});

const elsewhere = JSON.stringify({ process: 4711, host: `not-${hostname()}` });

/** Last touched so many seconds ago. */
async function writeLock(name: string, text: string, age: number): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  const then = Date.now() / 1000 - age;
  await utimes(path, then, then);
  return path;
}

describe("the lock of a run", () => {
  test("of another host counts while it is touched, and says how long to wait", async () => {
    const path = await writeLock("fresh", elsewhere, 40.5);
    await expect(takeLock(path)).rejects.toThrow(
      `Another process (4711 on not-${hostname()}) is at work on this run; if it is not, try again in 80 seconds, or delete ${path}.`,
    );
    expect(await readFile(path, "utf8")).toBe(elsewhere);
  });

  test("of a host whose clock is ahead counts no longer than others", async () => {
    const path = await writeLock("ahead", elsewhere, -500);
    await expect(takeLock(path)).rejects.toThrow(`try again in ${secondsUntilStale} seconds`);
  });

  test("of another host that was not touched for long is nobody's", async () => {
    const path = await writeLock("stale", elsewhere, secondsUntilStale + 1);
    const release = await takeLock(path);
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual({
      process: process.pid,
      host: hostname(),
    });
    await release();
    await expect(access(path)).rejects.toThrow("ENOENT");
  });

  test("of this host counts as long as its process is there, however old", async () => {
    const own = JSON.stringify({ process: process.ppid, host: hostname() });
    const path = await writeLock("own", own, 10 * secondsUntilStale);
    await expect(takeLock(path)).rejects.toThrow(`Another process (${process.ppid}) is at work`);
    expect(await isHeld(own, 0)).toBe(true);
    const gone = JSON.stringify({ process: 2 ** 22 + 1, host: hostname() });
    expect(await isHeld(gone, Date.now())).toBe(false);
  });

  test("is touched while it is held, and not afterwards", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const path = join(folder, "held");
    const release = await takeLock(path);
    const old = Date.now() / 1000 - 1000;
    await utimes(path, old, old);
    vi.advanceTimersByTime(16_000);
    await vi.waitFor(async () => {
      expect((await stat(path)).mtimeMs).toBeGreaterThan(Date.now() - 60_000);
    });
    await release();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("is had by one of those that take it at the same time, whether it is new or abandoned", async () => {
    const gone = JSON.stringify({ process: 2 ** 22 + 1, host: hostname() });
    for (const name of ["new", "abandoned"]) {
      const path = join(folder, `race-${name}`);
      if (name === "abandoned") await writeLock(`race-${name}`, gone, 0);
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => takeLock(path)));
      // A process does not keep itself out, so that only the file can say it: nobody sees a lock
      // without its text.
      expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ process: process.pid });
      for (const outcome of outcomes) if (outcome.status === "fulfilled") await outcome.value();
    }
    expect((await readdir(folder)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});
