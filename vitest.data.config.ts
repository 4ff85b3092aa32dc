import { defineConfig } from "vitest/config";
import { hasSharedData } from "./test/support/shared-data.js";

// Said before the first test, since a silent skip looks like success.
console.log(
  hasSharedData
    ? "Data tests: using the shared data."
    : "Data tests: SKIPPED, there is no ../shared folder. GAUSSIANIZE_SHARED may name another.",
);

/** Tests over real images: minutes rather than seconds, and only where the data is. */
export default defineConfig({
  test: {
    include: ["test/data/**/*.test.ts"],
    passWithNoTests: true,
    globalSetup: "test/support/own-temporary-folder.ts",
    testTimeout: 600_000,
  },
});
