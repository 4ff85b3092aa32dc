import { readFileSync, readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { chromiumIsRequired, chromiumProblem } from "./test/support/chromium.js";
import { slowTests } from "./vitest.slow.config.js";

const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .map((name) => `test/${name.replaceAll("\\", "/")}`)
  // These folders have configurations of their own.
  .filter((path) => path.endsWith(".test.ts") && !/^test\/(data|engines|package|site)\//.test(path))
  .filter((path) => !slowTests.includes(path));
const filesWith = (pattern: RegExp): string[] =>
  files.filter((path) => pattern.test(readFileSync(path, "utf8")));

/** Test files that open a page. */
const inBrowser = filesWith(
  /from "(\.\.?\/)+(in-lab|in-chromium|support\/(shared-)?chromium)\.js"/,
);
/** Test files with module mocks, which must not share a process with others. */
const withMocks = filesWith(/\bvi\.mock\(/);

const problem = await chromiumProblem();
if (problem !== null) {
  if (chromiumIsRequired) throw new Error(problem);
  // A silent skip would look like success.
  console.warn(`Browser tests: SKIPPED. ${problem}`);
}

const common = {
  // The limits only end tests that hang: a busy machine is slow, not wrong.
  expect: { poll: { timeout: 100_000 } },
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // By default, vitest would use one of two cores.
  maxWorkers: "100%",
  // Starting a process for each file takes longer than most tests.
  isolate: false,
};
const ownFolder = "test/support/own-temporary-folder.ts";
const browser = {
  ...common,
  name: "browser",
  include: inBrowser,
  globalSetup: [ownFolder, "test/support/shared-chromium.ts"],
};
const node = {
  ...common,
  name: "node",
  include: files,
  exclude: [...inBrowser, ...withMocks],
  globalSetup: ownFolder,
};
const mocks = {
  ...common,
  name: "mocks",
  include: withMocks,
  isolate: true,
  globalSetup: ownFolder,
};

/** Small but slow test files. By default, vitest starts with the large files. */
const takesLong = /kernels\/(reference|wasm)|paper\/pairs|docs\/examples|lab\/lab|-contract\.test/;
/** Project by project, because processes are reused only within a project. */
const order = [browser.name, node.name, mocks.name];

class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification): number =>
      2 * order.indexOf(project.name) + (takesLong.test(moduleId) ? 0 : 1);
    return (await super.sort(specifications)).sort((a, b) => rank(a) - rank(b));
  }
}

const projects = problem === null ? [browser, node, mocks] : [node, mocks];
// Without "extends", which would evaluate this file again for each project.
export default defineConfig({
  test: { projects: projects.map((test) => ({ test })), sequence: { sequencer: LongestFirst } },
});
