import { defineConfig } from "vitest/config";

/** Tests of the documentation site in dist/site, in Chromium. `npm run test:site` builds it first. */
export default defineConfig({
  test: {
    // One page in WebKitGTK once exceeded its limit of 300 s on a busy machine; cause unknown.
    retry: 1,
    include: ["test/site/**/*.test.ts"],
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 300_000,
    globalSetup: ["test/support/own-temporary-folder.ts", "test/support/shared-chromium.ts"],
  },
});
