import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasSharedData, sharedPath } from "../support/shared-data.js";

describe.skipIf(!hasSharedData)("fixtures", () => {
  it("gdn.json is the reference file, byte for byte", () => {
    expect(readFileSync("test/fixtures/gdn.json")).toEqual(
      readFileSync(join(sharedPath, "golden/gdn.json")),
    );
  });
});
