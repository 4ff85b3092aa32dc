import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeFolder } from "../../node/make-folder.js";
import { expectError } from "../support/expect-error.js";

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gaussianize-make-folder-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test("several callers make the same folders at once", async () => {
  const root = await temporaryFolder();
  for (let round = 0; round < 20; round++) {
    const deepest = join(root, String(round), "a", "b", "c");
    await Promise.all(["c1", "c2", "c1", "c2", "."].map((name) => makeFolder(join(deepest, name))));
    expect((await stat(deepest)).isDirectory()).toBe(true);
  }
});

test("a file in the way is named", async () => {
  const file = join(await temporaryFolder(), "file");
  await writeFile(file, "");
  for (const folder of [file, join(file, "below")]) {
    await expectError(makeFolder(folder), { code: "cannot-write", phrase: file });
  }
});
