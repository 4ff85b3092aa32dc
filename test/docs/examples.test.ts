import { execFile } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/folders.js";

const pages = [
  "README.md",
  ...readdirSync("docs")
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
const inPages = pages.flatMap((page) => {
  const blocks = [...readFileSync(page, "utf8").matchAll(/^```js\n(.*?)^```$/gms)];
  return blocks.map(([, code], k) => ({ page, number: k + 1, code }));
});

interface PublicName {
  readonly entry: string;
  readonly name: string;
  /** Doc comment above its declaration, or "". */
  readonly comment: string;
}

/** Returns the values of an entry point. */
function namesOf(entry: string): PublicName[] {
  const lists = readFileSync(entry, "utf8").matchAll(/^export \{([^}]*)\} from "([^"]*)";$/gms);
  return [...lists].flatMap(([, names, module]) => {
    const source = readFileSync(join(dirname(entry), module).replace(/\.js$/, ".ts"), "utf8");
    return names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && !name.startsWith("type "))
      .map((name) => ({ entry, name, comment: commentOf(source, name) }));
  });
}

function commentOf(source: string, name: string): string {
  const place = new RegExp(`^export (async )?(function|class|const) ${name}\\b`, "m").exec(source);
  const before = source.slice(0, place?.index ?? 0);
  return before.endsWith("*/\n") ? before.slice(before.lastIndexOf("/**")) : "";
}

function exampleIn(comment: string): string | undefined {
  const found = / \* @example\n \* ```js\n(.*?) \* ```\n/s.exec(comment);
  return found?.[1].replace(/^ \* ?/gm, "");
}

const subpaths = readdirSync("src/entry-points").map((name) => `src/entry-points/${name}`);
const roots = ["src/index.ts", "node/index.ts", "browser/index.ts"].flatMap(namesOf);
const publicNames = [...roots, ...subpaths.flatMap(namesOf)];
const inComments = [
  ...subpaths.map((entry) => ({
    entry,
    name: "of the module",
    comment: readFileSync(entry, "utf8").split("*/")[0],
  })),
  // Examples for browsers need a page.
  ...publicNames.filter(({ entry }) => !entry.startsWith("browser")),
];
const examples = [
  ...inPages,
  ...inComments.flatMap(({ entry, name, comment }) => {
    const code = exampleIn(comment);
    return code === undefined ? [] : [{ page: entry, number: name, code }];
  }),
];

describe("links in the documentation", () => {
  const links = pages.flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(/\]\(([^)#]+)\)/g)]
      .map(([, target]) => ({ page, target }))
      .filter(({ target }) => !target.startsWith("http")),
  );

  test.each(links)("$page: $target exists", ({ page, target }) => {
    expect(existsSync(join(dirname(page), target))).toBe(true);
  });
});

test("every value that the root and the adapters export has an example in its comment", () => {
  expect(roots.length).toBeGreaterThan(30);
  expect(roots.filter(({ comment }) => exampleIn(comment) === undefined)).toEqual([]);
});

test("every exported value has a doc comment", () => {
  expect(publicNames.length).toBeGreaterThan(100);
  expect(publicNames.filter(({ comment }) => comment === "")).toEqual([]);
});

test("every subpath has an example, in its own comment or in that of a value", () => {
  const pagesWithExample = new Set(examples.map(({ page }) => page));
  expect(subpaths.filter((entry) => !pagesWithExample.has(entry))).toEqual([]);
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
  // One process for all, because starting one takes most of the time.
  beforeAll(async () => {
    const program = "test/docs/run-examples.mjs";
    const paths = await projectOf(examples.map(({ code }) => code));
    const ran = await promisify(execFile)(process.execPath, [program, ...paths]);
    outcomes = ran.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Outcome);
    ({ stderr } = ran);
  });

  test("run in a process that ends by itself and writes nothing to stderr", () => {
    expect(examples.length).toBeGreaterThan(4);
    expect(outcomes).toHaveLength(examples.length);
    expect(stderr).toBe("");
  });

  test.each(examples.map((example, k) => ({ ...example, k })))(
    "$page, example $number runs as it stands",
    ({ code, k }) => {
      const { stdout, error } = outcomes[k];
      expect(error).toBe("");
      expect(stdout).not.toBe("");
      // A comment after console.log gives its output.
      for (const [, text] of code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)) {
        expect(stdout).toContain(text);
      }
    },
  );
});
