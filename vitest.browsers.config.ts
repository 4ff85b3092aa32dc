import { defineConfig } from "vitest/config";

/**
 * Tests of the library and of the lab in Chromium, Firefox and WebKitGTK, one browser after the
 * other.
 */
export default defineConfig({
  test: {
    include: ["test/engines/**/*.test.ts"],
    fileParallelism: false,
    globalSetup: "test/support/own-temporary-folder.ts",
    testTimeout: 400_000,
    hookTimeout: 60_000,
  },
});
