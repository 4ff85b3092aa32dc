import { defineConfig } from "vitest/config";

/** What a launcher, a browser or a clock gives only so much time for: while nothing else runs. */
const alone = ["test/cli/fit-mpi.test.ts", "test/lab/responsive.test.ts"];
const inBrowser = ["test/browser/**/*.test.ts", "test/lab/**/*.test.ts"];

const together = {
  // Vitest would leave one of two cores to itself.
  maxWorkers: "100%",
  sequence: { groupOrder: 0 },
};

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
          ...together,
          name: "together",
          include: ["test/**/*.test.ts"],
          exclude: ["test/data/**", "test/engines/**", ...inBrowser, ...alone],
        },
      },
      {
        extends: true,
        test: {
          ...together,
          name: "browser",
          include: inBrowser,
          exclude: alone,
          // Chromium and its driver lose an event now and then; what is wrong with the page is wrong twice, and a second try is told.
          retry: process.env.CI ? 1 : 0,
        },
      },
      {
        extends: true,
        test: { name: "alone", include: alone, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
