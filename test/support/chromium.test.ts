import { spawnSync } from "node:child_process";
import { afterEach, describe, expect, test, vi } from "vitest";
import { chromiumProblem, launchChromium } from "./chromium.js";

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("GAUSSIANIZE_CHROMIUM", () => {
  test.each([
    ["none", 'GAUSSIANIZE_CHROMIUM is "none".'],
    ["/no/chromium", 'GAUSSIANIZE_CHROMIUM names "/no/chromium", which does not exist.'],
  ])("%s finds no browser and reports why", async (value, reason) => {
    vi.stubEnv("GAUSSIANIZE_CHROMIUM", value);
    const sentence = `No Chromium can be launched: ${reason} Install one, or set GAUSSIANIZE_CHROMIUM to its path.`;
    expect(await chromiumProblem()).toBe(sentence);
    expect(await launchChromium()).toBe(sentence);
  });
});

describe("without a browser", () => {
  const testsOfPages = (environment: Readonly<Record<string, string>>) => {
    const files = ["test/lab/compute.test.ts", "test/lab/number-field.test.ts"];
    const words = ["node_modules/vitest/vitest.mjs", "run", "--passWithNoTests", ...files];
    const env = { ...process.env, GAUSSIANIZE_CHROMIUM: "none", ...environment };
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8", env });
    return { status, said: stderr.match(/Browser tests: SKIPPED|No Chromium can be launched/g) };
  };

  test("skips the tests of pages and prints one line", () => {
    const said = ["Browser tests: SKIPPED", "No Chromium can be launched"];
    expect(testsOfPages({ CI: "" })).toEqual({ status: 0, said });
  });

  test.runIf(process.platform === "linux" && process.arch === "x64")("fails them on CI", () => {
    const said = ["No Chromium can be launched"];
    expect(testsOfPages({ CI: "true" })).toEqual({ status: 1, said });
  });
});
