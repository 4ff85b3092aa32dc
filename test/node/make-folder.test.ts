import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../../node/make-folder.js";
import { expectError } from "../support/expect-error.js";
import { temporaryFolder } from "../support/folders.js";

const root = await temporaryFolder("make-folder");

test("several callers can create the same folders at once", async () => {
  for (let round = 0; round < 20; round++) {
    const deepest = join(root, String(round), "a", "b", "c");
    await Promise.all(["c1", "c2", "c1", "c2", "."].map((name) => makeFolder(join(deepest, name))));
    expect((await stat(deepest)).isDirectory()).toBe(true);
  }
});

test("names a file in the way", async () => {
  const file = join(root, "file");
  await writeFile(file, "");
  for (const folder of [file, join(file, "below")]) {
    await expectError(makeFolder(folder), { code: "cannot-write", phrase: file });
  }
});
