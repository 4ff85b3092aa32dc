/** Claims about the files of the project as a whole: how long they are, and what they import. */
import { readFileSync, readdirSync } from "node:fs";
import { posix } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const shipped = ["src", "node", "cli", "browser", "lab", "paper"];
const folders = [...shipped, "bench", "scripts", "test"];
const mostLines = 400;

const texts = new Map(
  folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) =>
        posix.join(folder, name.replaceAll("\\", "/")),
      ),
    )
    // Compiled kernels are one long text.
    .filter((path) => /\.(ts|tsx|js|mjs)$/.test(path) && !path.includes("/generated/"))
    .map((path) => [path, readFileSync(path, "utf8")] as const),
);

/**
 * Specifiers of static imports and exports. `import()` is none: whoever loads a panel or a command
 * when it is opened may be imported by it.
 */
function specifiersOf(path: string, text: string): string[] {
  // Nothing behind the last of them needs to be parsed.
  const ends = [...text.matchAll(/^(import |\} from |export .* from ).*;$/gm)].map(
    ({ index, 0: line }) => index + line.length,
  );
  const head = text.slice(0, Math.max(0, ...ends));
  return ts
    .createSourceFile(path, head, ts.ScriptTarget.Latest)
    .statements.filter(
      (statement) => ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement),
    )
    .flatMap(({ moduleSpecifier }) =>
      moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? [moduleSpecifier.text] : [],
    );
}

/** The files of the project that each file imports, types included. */
function importGraph(): Map<string, readonly string[]> {
  const targetsOf = (path: string, specifier: string): string[] => {
    const target = posix.join(posix.dirname(path), specifier);
    const sources = [target.replace(/\.js$/, ".ts"), target.replace(/\.js$/, ".tsx"), target];
    return specifier.startsWith(".") ? sources.filter((source) => texts.has(source)) : [];
  };
  return new Map(
    [...texts].map(([path, text]) => [
      path,
      specifiersOf(path, text).flatMap((specifier) => targetsOf(path, specifier)),
    ]),
  );
}

/** A shortest cycle through a file, spelled out; undefined where it is in none. */
function cycleThrough(graph: ReadonlyMap<string, readonly string[]>, file: string) {
  const trails = [[file]];
  const seen = new Set<string>();
  for (const trail of trails) {
    for (const next of graph.get(trail[trail.length - 1]) ?? []) {
      if (next === file) return [...trail, file].join(" → ");
      if (seen.has(next)) continue;
      seen.add(next);
      trails.push([...trail, next]);
    }
  }
  return undefined;
}

/** Files that import no file which may be in a cycle are in none; so they are taken away. */
function withoutLeaves(graph: Map<string, readonly string[]>): Map<string, readonly string[]> {
  const left = new Map(graph);
  for (let before = Infinity; left.size < before;) {
    before = left.size;
    for (const [path, imports] of left) {
      if (!imports.some((other) => left.has(other))) left.delete(path);
    }
  }
  return left;
}

test("no files import each other in a circle, types included", () => {
  const graph = importGraph();
  expect(graph.size).toBeGreaterThan(500);
  const suspects = withoutLeaves(graph);
  const files = [...suspects.keys()];
  expect(files.flatMap((file) => cycleThrough(suspects, file) ?? [])).toEqual([]);
});

test("a circle is spelled out, by the shortest way", () => {
  const graph = new Map([
    ["a", ["b"]],
    ["b", ["c", "d"]],
    ["c", ["d"]],
    ["d", ["b"]],
    ["e", []],
  ]);
  expect([...withoutLeaves(graph).keys()]).toEqual(["a", "b", "c", "d"]);
  expect(cycleThrough(graph, "a")).toBeUndefined();
  expect(cycleThrough(graph, "b")).toBe("b → d → b");
});

test(`no file has more than ${mostLines} lines`, () => {
  const lengths = [...texts]
    .filter(([path]) => shipped.includes(path.split("/")[0]))
    .map(([path, text]) => [path, text.split("\n").length - 1] as const);
  expect(lengths.filter(([, lines]) => lines > mostLines)).toEqual([]);
});
