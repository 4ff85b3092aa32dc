/** Relative links in the documentation lead to files and headings that exist. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";
import { githubSlug } from "../../site/markdown/slug.js";

const pages = [
  ...["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "models/README.md", "priors/README.md"],
  ...readdirSync("docs")
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

interface Link {
  readonly page: string;
  readonly target: string;
}

/** Text without blocks of code. */
function proseOf(page: string): string {
  return readFileSync(page, "utf8").replace(/^ *```.*?^ *```$/gms, "");
}

function linksIn(page: string): Link[] {
  const prose = proseOf(page).replace(/`[^`\n]*`/g, "code");
  const found = prose.matchAll(/\]\(([^()\s]+)\)|<(?:img|a)\b[^>]*\b(?:src|href)="([^"]+)"/g);
  return [...found]
    .map((match: readonly (string | undefined)[]) => match[1] ?? match[2] ?? "")
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => ({ page, target }));
}

/** As GitHub names them: the second heading with the same text ends with "-1". */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading] of proseOf(page).matchAll(/^#{1,6} (.*)$/gm)) {
    const slug = githubSlug(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[`*]/g, ""));
    let anchor = slug;
    for (let k = 1; anchors.has(anchor); k++) anchor = `${slug}-${k}`;
    anchors.add(anchor);
  }
  return anchors;
}

function isDead({ page, target }: Link): boolean {
  const [path, anchor = ""] = target.split("#");
  const file = path === "" ? page : posix.join(posix.dirname(page), path);
  if (!existsSync(file)) return true;
  return anchor !== "" && !anchorsOf(file).has(decodeURIComponent(anchor));
}

const links = pages.flatMap(linksIn);

test("links are found", () => {
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter(({ target }) => target.includes("#")).length).toBeGreaterThan(20);
});

test("relative links and anchors lead to files and headings that exist", () => {
  expect(links.filter(isDead)).toEqual([]);
});

test("a missing file and a missing heading would be found", () => {
  const page = "docs/lab.md";
  expect(isDead({ page, target: "no-such-page.md" })).toBe(true);
  expect(isDead({ page, target: "library.md#no-such-heading" })).toBe(true);
  expect(isDead({ page, target: "#no-such-heading" })).toBe(true);
  expect(isDead({ page, target: "library.md#open-a-density" })).toBe(false);
});
