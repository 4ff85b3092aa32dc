import { readFileSync } from "node:fs";
import { posix, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const mostOfRoot = 40;
const mostOfAll = 150;

interface Entry {
  readonly types: string;
  readonly default: string;
}

const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as {
  readonly exports: Readonly<Record<string, Entry | string>>;
};
const entries = Object.entries(exports).flatMap(([name, entry]) =>
  typeof entry === "string" ? [] : [{ name, ...entry }],
);

/** Returns the names of an entry, types included, each with its module. */
function namesOf(entry: Entry): (readonly [name: string, module: string])[] {
  const path = entry.types.replace(/^\.\/dist\//, "").replace(/\.d\.ts$/, ".ts");
  const lists = readFileSync(path, "utf8").matchAll(
    /^export (?:type )?\{([^}]*)\} from "([^"]*)";$/gms,
  );
  return [...lists].flatMap(([, names, module]) =>
    names
      .split(",")
      .map((name) => name.replace(/^.*\b(type|as)\b/s, "").trim())
      .filter((name) => name !== "")
      .map((name) => [name, posix.join(posix.dirname(path), module)] as const),
  );
}

describe("the public API of the built package", () => {
  test(`has at most ${mostOfRoot} values in the root, and ${mostOfAll} in all entries`, async () => {
    const values = await Promise.all(
      entries.map(async (entry) => Object.keys((await import(resolve(entry.default))) as object)),
    );
    const root = values[entries.findIndex(({ name }) => name === ".")];
    expect(root.length).toBeLessThanOrEqual(mostOfRoot);
    expect(new Set(values.flat()).size).toBeLessThanOrEqual(mostOfAll);
    // Entries are lists of names only, so the test below sees all of them.
    expect(entries.map((entry, k) => values[k].every((name) => isListed(entry, name)))).toEqual(
      entries.map(() => true),
    );
  });

  const isListed = (entry: Entry, name: string): boolean =>
    namesOf(entry).some(([listed]) => listed === name);

  test("has one meaning for each name, apart from the adapters", () => {
    const modules = new Map<string, Set<string>>();
    for (const [name, module] of entries.flatMap(namesOf)) {
      const home = /^(node|browser)\//.test(module) ? "an adapter" : module;
      modules.set(name, (modules.get(name) ?? new Set()).add(home));
    }
    expect(modules.size).toBeGreaterThan(mostOfAll);
    expect([...modules].filter(([, from]) => from.size > 1)).toEqual([]);
  });
});
