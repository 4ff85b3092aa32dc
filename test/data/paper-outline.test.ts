import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { paperEquations, paperSections } from "../support/paper-context.js";
import { hasSharedData, sharedPath } from "../support/shared-data.js";

describe.skipIf(!hasSharedData)("the outline of the paper", () => {
  test("has the equations and sections of its source", () => {
    const path = join(sharedPath, "paper/density-modeling-gdn.tex");
    const source = readFileSync(path, "utf8");
    const equations = source.match(/\\begin\{(equation|align)\}/g) ?? [];
    expect(paperEquations).toEqual(equations.map((_, k) => String(k + 1)));
    expect(paperSections).toEqual(sectionNumbers(source));
  });
});

function sectionNumbers(source: string): string[] {
  let section = 0;
  let subsection = 0;
  return [...source.matchAll(/^\\(?:sub)?section\{/gm)].map(([command]) => {
    if (command.startsWith("\\sub")) return `${section}.${++subsection}`;
    subsection = 0;
    return String(++section);
  });
}
