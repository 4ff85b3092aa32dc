import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkFiles } from "../../node/data-folder.js";
import { dataSets, filesOfSet } from "../../node/data-sets.js";
import { hasSharedData, sharedPath } from "../support/shared-data.js";

const folder = join(sharedPath, "data");

describe.skipIf(!hasSharedData)("the table of checksums", () => {
  test("agrees with SHA256SUMS line by line", async () => {
    const lines = (await readFile(join(folder, "SHA256SUMS"), "utf8")).trim().split("\n");
    const table = dataSets.flatMap(filesOfSet).map(({ path, sha256 }) => `${sha256}  ${path}`);
    expect(table.sort()).toEqual(lines.sort());
  });

  test.each(dataSets)("all files of $name have the right checksums", async (set) => {
    const { wrong, missing } = await checkFiles(filesOfSet(set), folder);
    expect({ wrong, missing }).toEqual({ wrong: [], missing: [] });
  });
});
