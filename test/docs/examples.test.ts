import { execFile } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import * as core from "../../src/index.js";
import * as adapter from "../../node/index.js";
import { temporaryFolder } from "../support/scene-folder.js";

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

interface Outcome {
  readonly stdout: string;
  readonly error: string;
}

/** A project with the package installed, in which the examples are modules. */
async function projectOf(codes: readonly string[]): Promise<string[]> {
  const folder = await temporaryFolder("examples");
  await mkdir(join(folder, "node_modules"));
  await symlink(resolve("."), join(folder, "node_modules/gaussianize"), "junction");
  const paths = codes.map((_, k) => join(folder, `${k}.mjs`));
  await Promise.all(paths.map((path, k) => writeFile(path, codes[k])));
  return paths;
}

describe("examples in the documentation", () => {
  let outcomes: readonly Outcome[];
  let stderr: string;
  // One process for all: most of the time of each would go by before it begins.
  beforeAll(async () => {
    const program = "test/support/programs/run-examples.mjs";
    const paths = await projectOf(examples.map(({ code }) => code));
    const ran = await promisify(execFile)(process.execPath, [program, ...paths]);
    outcomes = ran.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Outcome);
    ({ stderr } = ran);
  }, 120_000);

  it("are there, and the process that runs them ends by itself, without a word on stderr", () => {
    expect(examples.length).toBeGreaterThan(4);
    expect(outcomes).toHaveLength(examples.length);
    expect(stderr).toBe("");
  });

  it.each(examples.map((example, k) => ({ ...example, k })))(
    "$page, example $number runs as it stands",
    ({ code, k }) => {
      const { stdout, error } = outcomes[k];
      expect(error).toBe("");
      expect(stdout).not.toBe("");
      // A comment after a printed line says what it prints.
      for (const [, text] of code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)) {
        expect(stdout).toContain(text);
      }
    },
  );
});
