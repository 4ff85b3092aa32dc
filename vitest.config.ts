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
const inBrowser = filesWith(
  /from "(\.\.?\/)+(in-lab|in-chromium|support\/(shared-)?chromium)\.js"/,
);
/** Module mocks stay in a process; the other tests share one. */
const withMocks = filesWith(/\bvi\.mock\(/);

const problem = await chromiumProblem();
if (problem !== null) {
  if (chromiumIsRequired) throw new Error(problem);
  // Said once, since a silent skip looks like success.
  console.warn(`Browser tests: SKIPPED. ${problem}`);
}

const common = {
  // The usual seconds are too short on machines with much else to do.
  expect: { poll: { timeout: 25_000 } },
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // Vitest would leave one of two cores to itself.
  maxWorkers: "100%",
  // A process for each file costs more than most tests.
  isolate: false,
};
const ownFolder = "test/support/own-temporary-folder.ts";
const browser = {
  ...common,
  name: "browser",
  include: inBrowser,
  globalSetup: [ownFolder, "test/support/shared-chromium.ts"],
  sequence: { groupOrder: 0 },
};
const node = {
  ...common,
  name: "node",
  include: files,
  exclude: [...inBrowser, ...withMocks],
  globalSetup: ownFolder,
  sequence: { groupOrder: 1 },
};
const mocks = {
  ...common,
  name: "mocks",
  include: withMocks,
  isolate: true,
  globalSetup: ownFolder,
  sequence: { groupOrder: 2 },
};

const projects = problem === null ? [browser, node, mocks] : [node, mocks];
// Without "extends", which would evaluate this file again for each of them.
export default defineConfig({ test: { projects: projects.map((test) => ({ test })) } });
