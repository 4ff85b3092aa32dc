import { defineConfig } from "vitest/config";
import { hasSharedData } from "./test/support/shared-data.js";

// A silent skip would look like success.
console.log(
  hasSharedData
    ? "Data tests: using the shared data."
    : "Data tests: SKIPPED, there is no ../shared folder. GAUSSIANIZE_SHARED may name another.",
);

/** Tests with real images. They take minutes and need the data. */
export default defineConfig({
  test: {
    include: ["test/data/**/*.test.ts"],
    passWithNoTests: true,
    globalSetup: "test/support/own-temporary-folder.ts",
    testTimeout: 600_000,
  },
});
