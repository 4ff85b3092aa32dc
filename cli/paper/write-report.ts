/** The files of a report: a page to look at, its text with pictures as files, and numbers for programs. */
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { reportMarkdown, reportPage } from "../../src/index.js";
import { writeAtomically } from "../../node/index.js";
import { makeFolder } from "../../node/run-folder.js";
import { paperReport, paperSummary } from "./report.js";
import { type Finished, type PaperRun, resultsOf } from "./results.js";

export async function writeReport(
  output: string,
  run: PaperRun,
  finished: readonly Finished[],
): Promise<void> {
  const encoder = new TextEncoder();
  const write = async (path: string, content: string | Uint8Array): Promise<void> => {
    const bytes = typeof content === "string" ? encoder.encode(content) : content;
    await makeFolder(dirname(join(output, path)));
    await writeAtomically(join(output, path), bytes);
  };
  await write("results.json", `${JSON.stringify(resultsOf(run, finished), null, 2)}\n`);
  await write("report.html", reportPage(paperReport(run, finished)));
  const { markdown, files } = reportMarkdown(paperSummary(run, finished), { folder: "figures" });
  for (const { path, bytes } of files) await write(path, bytes);
  await removeOthers(join(output, "figures"), new Set(files.map(({ path }) => basename(path))));
  await write("results.md", markdown);
}

/** Figures of experiments that are no longer in the report. */
async function removeOthers(folder: string, wanted: ReadonlySet<string>): Promise<void> {
  const found = await readdir(folder).catch(() => []);
  for (const name of found) {
    const isOurs = /^[a-z-]+-\d+\.(svg|png)$/.test(name);
    if (isOurs && !wanted.has(name)) await rm(join(folder, name));
  }
}
