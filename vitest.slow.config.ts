import { defineConfig } from "vitest/config";

/**
 * Tests that `npm run test:slow` and CI run, and `npm test` does not. They take minutes and rarely
 * fail:
 *
 * - all-unusual-pictures denoises 60 pictures. unusual-pictures.test.ts has four of them.
 * - demo-workers runs the demo twice. bit-identity.test.ts compares numbers of workers for each
 *   part of it.
 * - fit-killed kills fits at random moments and resumes them. fit.test.ts and fit-model.test.ts
 *   resume from chosen steps.
 * - fit-mpi starts dozens of jobs under real launchers. fit-ranked.test.ts has several ranks in one
 *   process.
 * - responsive measures the CPU time of the lab's tasks while large models are fitted and large
 *   pictures denoised.
 */
export const slowTests = [
  "test/denoising/all-unusual-pictures.test.ts",
  "test/cli/demo-workers.test.ts",
  "test/cli/fit-killed.test.ts",
  "test/cli/fit-mpi.test.ts",
  "test/lab/responsive.test.ts",
];

export default defineConfig({
  test: {
    include: slowTests,
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    globalSetup: ["test/support/own-temporary-folder.ts", "test/support/shared-chromium.ts"],
  },
});
