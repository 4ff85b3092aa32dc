import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasSharedData, sharedPath } from "../support/shared-data.js";

describe.skipIf(!hasSharedData)("fixtures", () => {
  test.each(["convolution.json", "gdn.json", "quality.json"])(
    "%s is the reference file, byte for byte",
    (name) => {
      expect(readFileSync(join("test/fixtures", name))).toEqual(
        readFileSync(join(sharedPath, "golden", name)),
      );
    },
  );
});
