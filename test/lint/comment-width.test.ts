import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const widest = 100;
const roots = "src node browser cli lab paper bench kernels scripts test".split(" ");

test(`no comment line is wider than ${widest} columns`, () => {
  const files = roots.flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: "utf8" }).map((path) => join(root, path)),
  );
  const sources = files.filter(
    (path) => /\.(tsx?|mjs|js)$/.test(path) && !/generated|fixtures/.test(path),
  );
  expect(sources.length).toBeGreaterThan(800);
  const wide = sources.flatMap((path) =>
    readFileSync(path, "utf8")
      .split("\n")
      .flatMap((line, k) =>
        isComment(line) && widthOf(line) > widest ? [`${path}:${k + 1}`] : [],
      ),
  );
  expect(wide).toEqual([]);
});

function isComment(line: string): boolean {
  return /^\s*(\/\/|\/?\*)/.test(line);
}

/** In characters, not in code units. */
function widthOf(line: string): number {
  return Array.from(line).length;
}
