import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { readModel } from "../../node/model-files.js";
import { RunFolder, contentOf, enterFolder } from "../../node/run-folder.js";
import { takeLock } from "../../node/run-lock.js";
import { affine } from "../../src/transforms/affine.js";
import { temporaryFolder } from "../support/folders.js";

vi.mock(import("../../node/run-lock.js"), { spy: true });

const model = {
  transform: affine({ dimension: 2, scale: Float32Array.of(2, -3), shift: Float32Array.of(0, 1) }),
  about: { name: "stretched" },
};

let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder("run-folder");
});

describe("RunFolder", () => {
  test("creates missing parent folders, and keeps its configuration", async () => {
    const path = join(folder, "a/b/run");
    const leave = await enterFolder(path);
    await RunFolder.create(path, { model: "gdn", steps: 5 }).appendMetrics({ step: 1 });
    await leave();
    expect(await contentOf(path)).toBe("run");
    expect((await RunFolder.open(path)).config).toEqual({ model: "gdn", steps: 5 });
  });

  test("tells a run, other files and nothing apart", async () => {
    expect(await contentOf(join(folder, "nothing"))).toBe("nothing");
    const left = join(folder, "left");
    await mkdir(left);
    await writeFile(join(left, ".gaussianize-1.tmp"), "half a configuration");
    expect(await contentOf(left)).toBe("nothing");
    await writeFile(join(left, "notes.txt"), "mine");
    expect(await contentOf(left)).toBe("other files");
  });

  test.each(["model", "last-good", "checkpoint", "preview"])(
    "treats %s.safetensors without a configuration as a file of the user",
    async (name) => {
      const path = join(folder, `only-${name}`);
      await mkdir(path);
      await writeFile(join(path, "lock.json"), "");
      expect(await contentOf(path)).toBe("nothing");
      await writeFile(join(path, `${name}.safetensors`), "mine");
      expect(await contentOf(path)).toBe("other files");
    },
  );

  test("leaves no folder behind if its lock cannot be taken", async () => {
    vi.mocked(takeLock).mockRejectedValueOnce(new Error("no locks here"));
    await expect(enterFolder(join(folder, "unlocked/run"))).rejects.toThrow("no locks here");
    expect(await readdir(folder)).not.toContain("unlocked");
  });

  test("replaces an earlier run, but keeps other files", async () => {
    const path = join(folder, "again");
    await mkdir(path);
    const first = RunFolder.create(path, { seed: 1 });
    await first.writeCheckpoint(Uint8Array.of(1, 2));
    await first.appendMetrics({ step: 1 });
    await first.writePreview(model);
    await writeFile(join(path, "notes.txt"), "mine");
    const before = (await readdir(path)).sort();
    const second = RunFolder.create(path, { seed: 2 });
    expect(await second.readCheckpoint()).toBeUndefined();
    expect(await second.keepMetricsUntil(-1)).toEqual([]);
    // The earlier run stays until the new one writes a file.
    expect((await readdir(path)).sort()).toEqual(before);
    expect(await RunFolder.open(path)).toMatchObject({ config: { seed: 1 }, id: first.id });
    await second.writeCheckpoint(Uint8Array.of(3));
    expect((await readdir(path)).sort()).toEqual([
      "checkpoint.safetensors",
      "config.json",
      "notes.txt",
    ]);
    expect(await RunFolder.open(path)).toMatchObject({ config: { seed: 2 }, id: second.id });
  });

  test("removes the folders that it created if nothing was written, and no others", async () => {
    const [kept, path] = [join(folder, "kept"), join(folder, "kept/made/run")];
    await mkdir(kept);
    await (
      await enterFolder(path)
    )();
    expect(await readdir(kept)).toEqual([]);
    const leave = await enterFolder(path);
    await writeFile(join(kept, "made/notes.txt"), "mine");
    await leave();
    expect(await readdir(join(kept, "made"))).toEqual(["notes.txt"]);
  });

  test("is begun by the process that writes first, and only once", async () => {
    const path = join(folder, "shared");
    await mkdir(path);
    const first = RunFolder.create(path, { seed: 1 });
    const other = RunFolder.known(path, { seed: 1 }, first.id);
    await first.appendMetrics({ step: 1 });
    await other.writeCheckpoint(Uint8Array.of(1));
    expect(await first.keepMetricsUntil(1)).toHaveLength(1);
    const alone = RunFolder.known(path, { seed: 2 }, RunFolder.create(path, { seed: 2 }).id);
    await alone.writeCheckpoint(Uint8Array.of(2));
    expect(await RunFolder.open(path)).toMatchObject({ config: { seed: 2 }, id: alone.id });
    expect(await alone.has("metrics")).toBe(false);
  });

  test("keeps its id, checkpoint and model when it is extended", async () => {
    const path = join(folder, "extended");
    await mkdir(path);
    const run = RunFolder.create(path, { steps: 5 });
    await run.writeCheckpoint(Uint8Array.of(1));
    await run.writeModel(model);
    await run.extended({ steps: 9 });
    const opened = await RunFolder.open(path);
    expect(opened).toMatchObject({ config: { steps: 9 }, id: run.id });
    expect([...((await opened.readCheckpoint()) ?? [])]).toEqual([1]);
    expect([await opened.has("preview"), await opened.has("model")]).toEqual([false, true]);
  });

  test("keeps the model of the run that it replaces until it has its own", async () => {
    const path = join(folder, "replaced");
    await mkdir(path);
    await RunFolder.create(path, { seed: 1 }).writeModel(model);
    const second = RunFolder.create(path, { seed: 2 });
    await second.writeCheckpoint(Uint8Array.of(1));
    expect(await readModel(second.path("previous"))).toEqual(model);
    await second.writeModel(model, "lastGood");
    expect([await second.has("model"), await second.has("previous")]).toEqual([false, true]);
    await second.writeModel(model);
    expect([await second.has("model"), await second.has("previous")]).toEqual([true, false]);
  });

  test("has a preview until it has a model", async () => {
    await mkdir(join(folder, "seen"));
    const run = RunFolder.create(join(folder, "seen"), {});
    await run.writePreview(model);
    expect(await readModel(run.path("preview"))).toEqual(model);
    await run.writeModel(model);
    expect([await run.has("preview"), await run.has("model")]).toEqual([false, true]);
  });

  test("keeps metrics up to a step, and drops an incomplete line", async () => {
    await mkdir(join(folder, "metrics"));
    const run = RunFolder.create(join(folder, "metrics"), {});
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

  test("is locked by one process at a time, until that process ends", async () => {
    const path = join(folder, "entered");
    const leave = await enterFolder(path);
    const lock = join(path, "lock.json");
    await writeFile(lock, JSON.stringify({ process: process.ppid, host: hostname() }));
    await expect(enterFolder(path)).rejects.toThrow(
      `Another process is working on this run (process ${process.ppid}). If it is not, delete ${lock}.`,
    );
    await writeFile(lock, JSON.stringify({ process: 2 ** 22 + 1, host: hostname() }));
    await writeFile(join(path, ".gaussianize-1.tmp"), "half a checkpoint");
    await enterFolder(path);
    expect(await readdir(path)).toEqual(["lock.json"]);
    await writeFile(lock, '{"proc');
    await enterFolder(path);
    await leave();
    // The folder did not exist before.
    expect(await contentOf(path)).toBe("nothing");
    await expect(readdir(path)).rejects.toThrow("ENOENT");
  });

  test("rejects the configuration of another version or program", async () => {
    const path = join(folder, "foreign");
    await mkdir(path);
    const config = join(path, "config.json");
    await writeFile(config, '{"format":"gaussianize-run","version":"7"}');
    await expect(RunFolder.open(path)).rejects.toThrow(
      'config.json has version "7"; this program reads version "1".',
    );
    await writeFile(config, '{"port":80}');
    await expect(RunFolder.open(path)).rejects.toThrow("is not the configuration");
    await writeFile(config, "{");
    await expect(RunFolder.open(path)).rejects.toThrow(config);
  });
});
