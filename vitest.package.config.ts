import { defineConfig } from "vitest/config";

/** Tests of the packed and installed npm package. They need a network. */
export default defineConfig({
  test: {
    include: ["test/package/**/*.test.ts"],
    globalSetup: ["test/support/own-temporary-folder.ts", "test/package/install.ts"],
    testTimeout: 600_000,
  },
});
