import type * as fileSystem from "node:fs/promises";
import {
  chmod,
  mkdir,
  mkdtemp,
  open,
  readFile,
  readdir,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../support/folders.js";
import { readModel, readPatchModel, writeModel } from "../../node/model-files.js";
import { writeAtomically } from "../../node/write-atomically.js";
import { expectError, refusal, sentenceOf } from "../support/expect-error.js";
import { everyImageModel, everyModel } from "../support/models.js";

/** Step of a write that shall fail, and its error code. */
const failing = vi.hoisted(() => ({ step: "", code: "" }));

vi.mock("node:fs/promises", async (importOriginal) => {
  const original = await importOriginal<typeof fileSystem>();
  const failAt = (step: string): void => {
    if (failing.step === step) throw Object.assign(new Error("as asked"), { code: failing.code });
  };
  return {
    ...original,
    open: async (...settings: Parameters<typeof original.open>) => {
      const file = await original.open(...settings);
      if (settings[1] !== "wx") return file;
      const [write, sync] = [file.writeFile.bind(file), file.sync.bind(file)];
      return Object.assign(file, {
        writeFile: async (bytes: Uint8Array) => {
          await write(failing.step === "write" ? bytes.subarray(0, 10) : bytes);
          failAt("write");
        },
        sync: async () => {
          failAt("sync");
          await sync();
        },
      });
    },
    rename: async (...paths: Parameters<typeof original.rename>) => {
      failAt("rename");
      await original.rename(...paths);
    },
  };
});

const [[, model], [, otherModel]] = everyModel();
const root = await temporaryFolder("model-files");
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(root, "test-"));
});
afterEach(() => {
  failing.step = "";
});

describe("writing and reading", () => {
  test("reads back what it wrote, and leaves no other file", async () => {
    const path = join(folder, "model.safetensors");
    await writeModel(path, model);
    expect(await readModel(path)).toEqual(model);
    expect(await readdir(folder)).toEqual(["model.safetensors"]);
  });

  test("reads a model of whole images, and rejects it if patches are needed", async () => {
    const path = join(folder, "model.safetensors");
    const [[, ofImages]] = everyImageModel();
    await writeModel(path, ofImages);
    expect(await readModel(path)).toEqual(ofImages);
    expect(await sentenceOf(readPatchModel(path))).toBe(
      `Expected ${path} to be a model of patches, but it is one of whole images.`,
    );
    await writeModel(path, model);
    expect(await readPatchModel(path)).toEqual(model);
  });

  test("replaces an existing file and keeps its mode", async () => {
    const path = join(folder, "model.safetensors");
    await writeModel(path, model);
    await chmod(path, 0o640);
    await writeModel(path, otherModel);
    expect(await readModel(path)).toEqual(otherModel);
    expect((await stat(path)).mode & 0o777).toBe(0o640);
  });

  test("keeps a link and replaces its target", async () => {
    const [path, link] = [join(folder, "model.safetensors"), join(folder, "latest")];
    await writeModel(path, model);
    await symlink("model.safetensors", link);
    await writeModel(link, otherModel);
    expect(await readModel(path)).toEqual(otherModel);
    expect((await readdir(folder)).sort()).toEqual(["latest", "model.safetensors"]);
  });

  test("writes a file with the longest name", async () => {
    const path = join(folder, "x".repeat(255));
    await writeAtomically(path, Uint8Array.of(1, 2, 3));
    expect([...(await readFile(path))]).toEqual([1, 2, 3]);
  });

  test("keeps the old file if a model cannot be encoded", async () => {
    const path = join(folder, "model.safetensors");
    await writeModel(path, model);
    const bad = { ...model, about: { figures: { nats: NaN } } };
    expect(await sentenceOf(writeModel(path, bad))).toBe(
      refusal("about.figures.nats", "be finite", NaN),
    );
    expect(await readModel(path)).toEqual(model);
  });
});

describe("a failed write keeps the old file and leaves no temporary file", () => {
  test.each([
    ["write", "ENOSPC", "there is no space left on the disk"],
    ["write", "EDQUOT", "there is no space left in the quota"],
    ["sync", "EIO", "the disk reports an error"],
    ["rename", "EACCES", "permission denied"],
    ["rename", "EXDEV", "the system reports EXDEV"],
  ])("%s: %s", async (step, code, reason) => {
    const path = join(folder, "model.safetensors");
    await writeModel(path, model);
    Object.assign(failing, { step, code });
    expect(await sentenceOf(writeModel(path, otherModel))).toBe(`Cannot write ${path}: ${reason}.`);
    expect(await readModel(path)).toEqual(model);
    expect(await readdir(folder)).toEqual(["model.safetensors"]);
  });

  test("missing folder", async () => {
    const path = join(folder, "missing", "model.safetensors");
    const reason = `there is no folder ${join(folder, "missing")}`;
    expect(await sentenceOf(writeModel(path, model))).toBe(`Cannot write ${path}: ${reason}.`);
    expect(await readdir(folder)).toEqual([]);
  });

  test.runIf(process.platform === "linux")("folder without new files", async () => {
    const reason = "Cannot write /proc/model.safetensors: /proc takes no new files.";
    expect(await sentenceOf(writeModel("/proc/model.safetensors", model))).toBe(reason);
  });

  test("file in place of the folder", async () => {
    await writeFile(join(folder, "file"), "");
    const path = join(folder, "file", "model.safetensors");
    const reason = `${join(folder, "file")} is not a folder`;
    expect(await sentenceOf(writeModel(path, model))).toBe(`Cannot write ${path}: ${reason}.`);
  });

  test("folder in place of the file", async () => {
    const path = join(folder, "model.safetensors");
    await mkdir(path);
    await expectError(writeModel(path, model), { code: "cannot-write", phrase: path });
    expect(await readdir(folder)).toEqual(["model.safetensors"]);
  });

  test.skipIf(process.getuid?.() === 0)("write-protected file", async () => {
    const path = join(folder, "model.safetensors");
    await writeModel(path, model);
    await chmod(path, 0o444);
    expect(await sentenceOf(writeModel(path, otherModel))).toBe(
      `Cannot write ${path}: permission denied.`,
    );
    expect(await readModel(path)).toEqual(model);
  });

  test.skipIf(!existsSync("/dev/full"))("full device, which stays a device", async () => {
    expect(await sentenceOf(writeModel("/dev/full", model))).toBe(
      "Cannot write /dev/full: there is no space left on the disk.",
    );
    expect((await stat("/dev/full")).isCharacterDevice()).toBe(true);
    await writeModel("/dev/null", model);
    expect((await stat("/dev/null")).isCharacterDevice()).toBe(true);
  });
});

describe("reading rejects", () => {
  test("a missing file", async () => {
    const path = join(folder, "missing.safetensors");
    await expectError(readModel(path), { code: "cannot-read", phrase: path });
  });

  test("a folder", async () => {
    await expectError(readModel(folder), { code: "cannot-read", phrase: folder });
  });

  test("more than 2 GB, before reading", async () => {
    const path = join(folder, "large.safetensors");
    const file = await open(path, "w");
    // One hole, which takes no space.
    await file.truncate(2 ** 31);
    await file.close();
    expect(await sentenceOf(readModel(path))).toBe(
      `Cannot read ${path}: it has 2147483648 bytes, more than 2 GB.`,
    );
  });

  test("a damaged file, with its path", async () => {
    const path = join(folder, "short.safetensors");
    await writeFile(path, "abc");
    await expectError(readModel(path), { code: "file-damaged", phrase: `${path}: ` });
  });
});
