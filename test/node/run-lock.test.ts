/** Tests locks of this host and of others. File times are faked, so that no test waits. */
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

/** Writes a lock that was last touched `age` seconds ago. */
async function writeLock(name: string, text: string, age: number): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  const then = Date.now() / 1000 - age;
  await utimes(path, then, then);
  return path;
}

describe("the lock of a run", () => {
  test("of another host counts while it is touched, and tells how long to wait", async () => {
    // The clock stands still, so that 79.5 seconds remain.
    vi.useFakeTimers({ toFake: ["Date"] });
    const path = await writeLock("fresh", elsewhere, 40.5);
    await expect(takeLock(path)).rejects.toThrow(
      `Another process is working on this run (process 4711 on not-${hostname()}). If it is not, try again in 80 seconds, or delete ${path}.`,
    );
    expect(await readFile(path, "utf8")).toBe(elsewhere);
  });

  test("of a host whose clock is ahead expires like others", async () => {
    const path = await writeLock("ahead", elsewhere, -500);
    await expect(takeLock(path)).rejects.toThrow(`try again in ${secondsUntilStale} seconds`);
  });

  test("of another host expires if it is not touched", async () => {
    const path = await writeLock("stale", elsewhere, secondsUntilStale + 1);
    const release = await takeLock(path);
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual({
      process: process.pid,
      host: hostname(),
    });
    await release();
    await expect(access(path)).rejects.toThrow("ENOENT");
  });

  test("of this host counts while its process is running, however old", async () => {
    const own = JSON.stringify({ process: process.ppid, host: hostname() });
    const path = await writeLock("own", own, 10 * secondsUntilStale);
    await expect(takeLock(path)).rejects.toThrow(`process ${process.ppid}`);
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

  test("is never visible without its text when several take it at once", async () => {
    const gone = JSON.stringify({ process: 2 ** 22 + 1, host: hostname() });
    for (const name of ["new", "abandoned"]) {
      const path = join(folder, `race-${name}`);
      if (name === "abandoned") await writeLock(`race-${name}`, gone, 0);
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => takeLock(path)));
      // A process does not lock itself out, so only the file can be checked.
      expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ process: process.pid });
      for (const outcome of outcomes) if (outcome.status === "fulfilled") await outcome.value();
    }
    expect((await readdir(folder)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});
