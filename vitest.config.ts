import { readFileSync, readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { chromiumIsRequired, chromiumProblem } from "./test/support/chromium.js";
import { slowTests } from "./vitest.slow.config.js";

const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .map((name) => `test/${name.replaceAll("\\", "/")}`)
  .filter((path) => path.endsWith(".test.ts") && !path.startsWith("test/data/"))
  .filter((path) => !slowTests.includes(path));
const filesWith = (pattern: RegExp): string[] =>
  files.filter((path) => pattern.test(readFileSync(path, "utf8")));

/** Everything that opens a page. */
const inBrowser = filesWith(/from "(\.\.?\/)+(in-lab|in-chromium|support\/(shared-)?chromium)\.js"/);
/** Module mocks stay in a process; the other tests share one. */
const withMocks = filesWith(/\bvi\.mock\(/);

const problem = await chromiumProblem();
if (problem !== null) {
  if (chromiumIsRequired) throw new Error(problem);
  // Said once, since a silent skip looks like success.
  console.warn(`Browser tests: SKIPPED. ${problem}`);
}

const browserProject = {
  extends: true as const,
  test: {
    name: "browser",
    include: inBrowser,
    globalSetup: "test/support/shared-chromium.ts",
    sequence: { groupOrder: 0 },
  },
};

export default defineConfig({
  test: {
    // The usual seconds are too short on machines with much else to do.
    expect: { poll: { timeout: 25_000 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: "test/support/own-temporary-folder.ts",
    // Vitest would leave one of two cores to itself.
    maxWorkers: "100%",
    // A process for each file costs more than most tests.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: "node",
          include: files,
          exclude: [...inBrowser, ...withMocks],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "mocks",
          include: withMocks,
          isolate: true,
          sequence: { groupOrder: 2 },
        },
      },
      ...(problem === null ? [browserProject] : []),
    ],
  },
});
