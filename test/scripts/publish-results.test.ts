import { execFile } from "node:child_process";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/folders.js";

const script = fileURLToPath(new URL("../../scripts/publish-results.mjs", import.meta.url));
const run = promisify(execFile);

const publish = (report: string, docs: string) => run(process.execPath, [script, report, docs]);

/** A folder with the files of a report whose sections say `words`. */
async function reportOf(
  names: readonly string[],
  words: string,
  paper: number | null = null,
): Promise<string> {
  const folder = await temporaryFolder("publish");
  await mkdir(join(folder, "figures"));
  const sections = names.map((name) => `## The ${name}\n\n${words}\n\n`);
  await writeFile(
    join(folder, "results.md"),
    `# Results\n\n${tableOf(names, words, paper)}${sections.join("")}## Make it again\n\n${words}\n`,
  );
  const experiments = names.map((name) => ({
    name,
    title: `The ${name}`,
    numbers: [{ name: `value of ${name}`, value: 1, paper }],
    words,
  }));
  await writeFile(
    join(folder, "results.json"),
    JSON.stringify({ quick: false, command: words, experiments }),
  );
  for (const name of names) await writeFile(join(folder, "figures", `${name}-1.svg`), words);
  return folder;
}

/** The table at the head, of experiments with numbers of the paper. */
function tableOf(names: readonly string[], words: string, paper: number | null): string {
  if (paper === null) return "";
  return [...names.map((name) => `| value of ${name} | ${words} |\n`), "\n"].join("");
}

describe("scripts/publish-results.mjs", () => {
  test("replaces everything by a report of all experiments", async () => {
    const docs = await reportOf(["one", "gone"], "old");
    await publish(await reportOf(["one", "gone", "two"], "new"), docs);
    expect(await readFile(join(docs, "results.md"), "utf8")).not.toContain("old");
    expect((await readdir(join(docs, "figures"))).sort()).toEqual([
      "gone-1.svg",
      "one-1.svg",
      "two-1.svg",
    ]);
  });

  test("replaces the sections of some experiments, and adds new ones behind theirs", async () => {
    const docs = await reportOf(["one", "two", "three"], "old");
    await writeFile(join(docs, "figures", "two-2.svg"), "no longer made");
    await publish(await reportOf(["two", "two-long"], "new"), docs);
    const text = await readFile(join(docs, "results.md"), "utf8");
    expect(text.match(/^## .*\n\n.*$/gm)).toEqual([
      "## The one\n\nold",
      "## The two\n\nnew",
      "## The two-long\n\nnew",
      "## The three\n\nold",
      "## Make it again\n\nold",
    ]);
    const results = JSON.parse(await readFile(join(docs, "results.json"), "utf8")) as {
      readonly experiments: readonly { readonly name: string; readonly words: string }[];
    };
    expect(results.experiments.map(({ name, words }) => `${name} ${words}`)).toEqual([
      "one old",
      "two new",
      "two-long new",
      "three old",
    ]);
    const figures = (await readdir(join(docs, "figures"))).sort();
    expect(figures).toEqual(["one-1.svg", "three-1.svg", "two-1.svg", "two-long-1.svg"]);
    expect(await readFile(join(docs, "figures", "two-1.svg"), "utf8")).toBe("new");
  });

  test("keeps a section that is not in the report, beside a new table at the head", async () => {
    const docs = await reportOf(["one", "two"], "old", 2.5);
    await publish(await reportOf(["two-long"], "long"), docs);
    await publish(await reportOf(["one", "two"], "new", 2.5), docs);
    const text = await readFile(join(docs, "results.md"), "utf8");
    expect(text.match(/^## .*\n\n.*$/gm)).toEqual([
      "## The one\n\nnew",
      "## The two\n\nnew",
      "## The two-long\n\nlong",
      "## Make it again\n\nnew",
    ]);
  });

  test("replaces the rows of some experiments in the table at the head", async () => {
    const docs = await reportOf(["one", "two", "three"], "old", 2.5);
    await publish(await reportOf(["two"], "new", 2.5), docs);
    const text = await readFile(join(docs, "results.md"), "utf8");
    expect(text.match(/^(?:\| |## ).*$/gm)).toEqual([
      "| value of one | old |",
      "| value of two | new |",
      "| value of three | old |",
      "## The one",
      "## The two",
      "## The three",
      "## Make it again",
    ]);
  });

  test("rejects an experiment that is new in the table at the head, and changes nothing", async () => {
    const docs = await reportOf(["one", "two"], "old", 2.5);
    await expect(publish(await reportOf(["three"], "new", 2.5), docs)).rejects.toThrow(
      "The three is new in the table at the head",
    );
    expect(await readFile(join(docs, "results.md"), "utf8")).not.toContain("new");
  });
});
