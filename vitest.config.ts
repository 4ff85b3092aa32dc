import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/data/**"],
    globalSetup: "test/support/own-temporary-folder.ts",
    // The usual second is too short on machines with much else to do.
    expect: { poll: { timeout: 25_000 } },
  },
});
