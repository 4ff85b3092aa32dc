import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { paperEquations, paperSections } from "../support/paper-context.js";

/** Authors of other works whose sections and equations the code cites. */
const otherAuthors = /Van Loan|Wang|Kraskov|Daubechies|Mallat/;

const roots = ["src", "kernels", "node", "browser", "cli", "lab", "paper", "docs", "README.md"];
const files = roots.flatMap(filesIn).filter((path) => /\.(tsx?|md)$/.test(path));

describe("citations of the paper", () => {
  const cited = files.flatMap((path) => citationsIn(path, readFileSync(path, "utf8")));

  test("are found", () => {
    expect(cited.length).toBeGreaterThan(100);
  });

  test("name equations and sections that exist", () => {
    const wrong = cited.filter(({ kind, number }) => !numbersOf(kind).includes(number));
    expect(wrong).toEqual([]);
  });

  test("would be rejected with an unknown equation or section", () => {
    const [equation, section] = citationsIn("x.ts", "see eq. (8) and §4.4");
    expect(numbersOf(equation.kind)).not.toContain(equation.number);
    expect(numbersOf(section.kind)).not.toContain(section.number);
  });
});

describe("docs/NOTATION.md", () => {
  const rows = readFileSync("docs/NOTATION.md", "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| ") && line.includes("`"))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .map(([, symbol, name, , where]) => ({
      symbol,
      names: codeIn(name),
      places: codeIn(where),
    }));

  test("has a row for each symbol", () => {
    expect(rows.length).toBeGreaterThan(30);
  });

  test.each(rows)("$symbol is in the file of the table", ({ names, places }) => {
    expect(places.filter((place) => !existsSync(place))).toEqual([]);
    const text = places
      .flatMap(filesIn)
      .map((path) => readFileSync(path, "utf8"))
      .join("\n");
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
  });
});

describe.each(["CONTRIBUTING.md", "SECURITY.md"])("%s", (document) => {
  const text = readFileSync(document, "utf8");

  test("names files and folders that exist", () => {
    const named = [
      ...codeIn(text),
      ...Array.from(text.matchAll(/\]\(([^)#:]+)\)/g), ([, path]) => path),
    ];
    const paths = named.filter((name) => /^[\w.-]+\/[\w./-]*$/.test(name));
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });

  test("names scripts of package.json", () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as {
      scripts: Record<string, string>;
    };
    const named = Array.from(text.matchAll(/npm run ([\w:]+)/g), ([, name]) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

interface Citation {
  readonly path: string;
  readonly kind: "equation" | "section";
  readonly number: string;
}

function citationsIn(path: string, text: string): Citation[] {
  return [...text.matchAll(/(\beq\. \(?|§ ?|\bsection )(\d+(?:\.\d+)*)/g)]
    .filter(({ index }) => !otherAuthors.test(text.slice(Math.max(0, index - 160), index)))
    .map(([, what, number]) => ({
      path,
      kind: what.startsWith("eq.") ? "equation" : "section",
      number,
    }));
}

function numbersOf(kind: Citation["kind"]): readonly string[] {
  return kind === "equation" ? paperEquations : paperSections;
}

/** The texts between backticks. */
function codeIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code);
}

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => filesIn(join(path, name)));
}
