import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { requireWritable } from "../../node/write-atomically.js";
import { temporaryFolder } from "../support/folders.js";
import { sentenceOf } from "../support/expect-error.js";

const folder = await temporaryFolder("require-writable");

describe("requireWritable", () => {
  test("leaves no file behind and existing files unchanged", async () => {
    const file = join(folder, "there.png");
    await writeFile(file, "precious");
    await requireWritable(file);
    await requireWritable(join(folder, "new.png"));
    expect(await readFile(file, "utf8")).toBe("precious");
    expect(await readdir(folder)).toEqual(["there.png"]);
  });

  test.skipIf(process.platform === "win32")("accepts a device", async () => {
    await expect(requireWritable("/dev/null")).resolves.toBeUndefined();
  });

  test.runIf(process.platform === "linux")(
    "rejects a folder without new files, even if root has permission",
    async () => {
      for (const path of ["/proc/x.png", "/proc/folder/x.png"]) {
        const refused = requireWritable(path, { makesFolders: true });
        expect(await sentenceOf(refused)).toMatch(/^Cannot write \/proc\/.*x\.png: /);
      }
    },
  );

  test("rejects a folder, and a missing parent folder unless it will be created", async () => {
    const inner = join(folder, "inner");
    await mkdir(inner);
    expect(await sentenceOf(requireWritable(inner))).toBe(`Cannot write ${inner}: it is a folder.`);
    const file = join(inner, "a", "b", "x.png");
    expect(await sentenceOf(requireWritable(file))).toContain("there is no folder");
    await requireWritable(file, { makesFolders: true });
    expect(await readdir(inner)).toEqual([]);
  });
});
