import { defineConfig } from "vitest/config";

/**
 * Run by `npm run test:slow` and by CI, not by `npm test`.
 *
 * - fit-killed: kills fits at random moments, again and again. Each moment has a deterministic test of its own.
 * - fit-mpi: starts dozens of jobs under real launchers. The arithmetic of ranks is tested in one process.
 */
export const slowTests = ["test/cli/fit-killed.test.ts", "test/cli/fit-mpi.test.ts"];

export default defineConfig({
  test: {
    include: slowTests,
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: "test/support/own-temporary-folder.ts",
  },
});
