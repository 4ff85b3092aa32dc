import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { readModel } from "../../node/model-files.js";
import { affine } from "../../src/index.js";
import { RunFolder, contentOf, enterFolder, makeFolder } from "../../node/run-folder.js";
import { temporaryFolder } from "../support/scene-folder.js";

const model = {
  transform: affine({ dimension: 2, scale: Float32Array.of(2, -3), shift: Float32Array.of(0, 1) }),
  about: { name: "stretched" },
};

let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder("run-folder");
});

describe("a run folder", () => {
  it("is made with the folders above it, and keeps its configuration", async () => {
    const path = join(folder, "a/b/run");
    const leave = await enterFolder(path);
    await RunFolder.create(path, { model: "gdn", steps: 5 });
    await leave();
    expect(await contentOf(path)).toBe("run");
    expect((await RunFolder.open(path)).config).toEqual({ model: "gdn", steps: 5 });
  });

  it("knows nothing, a run and other files apart", async () => {
    expect(await contentOf(join(folder, "nothing"))).toBe("nothing");
    const left = join(folder, "left");
    await mkdir(left);
    await writeFile(join(left, ".gaussianize-1.tmp"), "half a configuration");
    expect(await contentOf(left)).toBe("nothing");
    await writeFile(join(left, "notes.txt"), "mine");
    expect(await contentOf(left)).toBe("other files");
  });

  it("begun anew has nothing of the run before, but other files stay", async () => {
    const path = join(folder, "again");
    await mkdir(path);
    const first = await RunFolder.create(path, { seed: 1 });
    await first.writeCheckpoint(Uint8Array.of(1, 2));
    await first.appendMetrics({ step: 1 });
    await first.writePreview(model);
    await writeFile(join(path, "notes.txt"), "mine");
    const second = await RunFolder.create(path, { seed: 2 });
    expect(await second.readCheckpoint()).toBeUndefined();
    expect((await readdir(path)).sort()).toEqual(["config.json", "notes.txt"]);
  });

  it("has a preview until it has a model", async () => {
    await mkdir(join(folder, "seen"));
    const run = await RunFolder.create(join(folder, "seen"), {});
    await run.writePreview(model);
    expect(await readModel(run.path("preview"))).toEqual(model);
    await run.writeModel(model);
    expect([await run.has("preview"), await run.has("model")]).toEqual([false, true]);
  });

  it("keeps metrics up to a step, and no line that was cut short", async () => {
    await mkdir(join(folder, "metrics"));
    const run = await RunFolder.create(join(folder, "metrics"), {});
    for (const step of [1, 2, 3, 4]) await run.appendMetrics({ step, text: "ΔJ" });
    const file = run.path("metrics");
    await writeFile(file, `${await readFile(file, "utf8")}{"step":5,"te`);
    expect((await run.keepMetricsUntil(10)).map(({ step }) => step)).toEqual([4, 3, 2, 1]);
    expect((await readFile(file, "utf8")).trim().split("\n")).toHaveLength(4);
    await run.keepMetricsUntil(2);
    expect(await readFile(file, "utf8")).toBe('{"step":1,"text":"ΔJ"}\n{"step":2,"text":"ΔJ"}\n');
    await run.keepMetricsUntil(-1);
    expect(await readFile(file, "utf8")).toBe("");
  });

  it("is entered by one process at a time, but not kept by one that is gone", async () => {
    const path = join(folder, "entered");
    const leave = await enterFolder(path);
    const lock = join(path, "lock.json");
    await writeFile(lock, JSON.stringify({ process: process.ppid, host: hostname() }));
    await expect(enterFolder(path)).rejects.toThrow(
      `Another process (${process.ppid}) is at work on this run; if it is not, delete ${lock}.`,
    );
    await writeFile(lock, JSON.stringify({ process: 2 ** 22 + 1, host: hostname() }));
    await writeFile(join(path, ".gaussianize-1.tmp"), "half a checkpoint");
    await enterFolder(path);
    expect(await readdir(path)).toEqual(["lock.json"]);
    await writeFile(lock, '{"proc');
    await enterFolder(path);
    await leave();
    // It was not there before.
    expect(await contentOf(path)).toBe("nothing");
    await expect(readdir(path)).rejects.toThrow("ENOENT");
  });

  it("of another version, or of another program, is refused", async () => {
    const path = join(folder, "foreign");
    await mkdir(path);
    const config = join(path, "config.json");
    await writeFile(config, '{"format":"gaussianize-run","version":"7"}');
    await expect(RunFolder.open(path)).rejects.toThrow(
      'config.json has version "7"; this program reads version "1".',
    );
    await writeFile(config, '{"port":80}');
    await expect(RunFolder.open(path)).rejects.toThrow("is not the configuration of a run");
    await writeFile(config, "{");
    await expect(RunFolder.open(path)).rejects.toThrow(config);
  });

  it("says why it cannot be made", async () => {
    await writeFile(join(folder, "file"), "");
    await expect(makeFolder(join(folder, "file/run"))).rejects.toThrow(/Cannot write .*file/);
    await expect(makeFolder(join(folder, "file"))).rejects.toThrow(/Cannot write .*file/);
  });
});
