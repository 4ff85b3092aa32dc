import { defineConfig } from "vitest/config";

/** What a launcher, a browser or a clock gives only so much time for: while nothing else runs. */
const alone = ["test/cli/fit-mpi.test.ts", "test/lab/responsive.test.ts"];

export default defineConfig({
  test: {
    // The usual seconds are too short on machines with much else to do.
    expect: { poll: { timeout: 25_000 } },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    globalSetup: "test/support/own-temporary-folder.ts",
    projects: [
      {
        extends: true,
        test: {
          name: "together",
          include: ["test/**/*.test.ts"],
          exclude: ["test/data/**", ...alone],
          // Vitest would leave one of two cores to itself.
          maxWorkers: "100%",
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: "alone", include: alone, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
