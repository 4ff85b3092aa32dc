import { execFile } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import * as core from "../../src/index.js";
import * as adapter from "../../node/index.js";

const pages = [
  "README.md",
  ...readdirSync("docs")
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
const examples = pages.flatMap((page) => {
  const blocks = [...readFileSync(page, "utf8").matchAll(/^```js\n(.*?)^```$/gms)];
  return blocks.map(([, code], k) => ({ page, number: k + 1, code }));
});

describe("links in the documentation", () => {
  const links = pages.flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(/\]\(([^)#]+)\)/g)]
      .map(([, target]) => ({ page, target }))
      .filter(({ target }) => !target.startsWith("http")),
  );

  it.each(links)("$page: $target exists", ({ page, target }) => {
    expect(existsSync(join(dirname(page), target))).toBe(true);
  });
});

describe("the public API", () => {
  const imported = new Set(
    examples.flatMap(({ code }) =>
      [...code.matchAll(/import \{([^}]*)\} from "gaussianize/g)].flatMap(([, names]) =>
        names.split(",").map((name) => name.trim()),
      ),
    ),
  );

  it.each([
    ["gaussianize", core],
    ["gaussianize/node", adapter],
  ])("every export of %s is in an example that runs", (_, module) => {
    // UsageError is for shells: a command line that makes no sense.
    const missing = Object.keys(module).filter((name) => !imported.has(name));
    expect(missing.filter((name) => name !== "UsageError")).toEqual([]);
  });
});

describe("examples in the documentation", () => {
  it("are there", () => {
    expect(examples.length).toBeGreaterThan(4);
  });

  it.each(examples)(
    "$page, example $number runs as it stands",
    { timeout: 60_000 },
    async ({ code }) => {
      const run = promisify(execFile)(process.execPath, ["--input-type=module", "-e", code]);
      const { stdout, stderr } = await run;
      expect(stderr).toBe("");
      expect(stdout).not.toBe("");
      // A comment after a printed line says what it prints.
      for (const [, text] of code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)) {
        expect(stdout).toContain(text);
      }
    },
  );
});
