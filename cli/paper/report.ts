/** The report of the paper's experiments, one page. */
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { makeFolder } from "../../node/make-folder.js";
import { writeAtomically } from "../../node/write-atomically.js";
import type { ExperimentResult, FitRecord, PaperNumber } from "../../paper/experiment.js";
import type { Highlight, ReportBlock } from "../../src/figures/report-blocks.js";
import { reportMarkdown } from "../../src/figures/report-markdown.js";
import { type Report, type ReportSection, reportPage } from "../../src/figures/report.js";
import { fixed, thousands, withMinus } from "../../src/numbers/format-number.js";
import { packageVersion } from "../package.js";
import { duration } from "../text.js";
import { type Finished, type PaperRun, machineOf, resultsOf, valueText } from "./results.js";

const paper = "https://arxiv.org/abs/1511.06281";

/** Returns the report for HTML, with highlights at its head. */
export function paperReport(run: PaperRun, finished: readonly Finished[]): Report {
  return {
    title: "The paper’s experiments",
    lead: [
      "Section 4 of Ballé, Laparra & Simoncelli, ",
      {
        link: "Density Modeling of Images using a Generalized Normalization Transformation",
        href: paper,
      },
      run.quick
        ? ", on the photographs that come with the package, with small patches and short fits: the same experiments in minutes. The paper’s values, where it gives any, are for other images and larger patches."
        : ", reproduced. The tables show the paper’s values, where it gives any, beside ours.",
    ],
    opening: openingOf(run, finished),
    sections: [...finished.map((each) => sectionOf(each, run)), originSection(run, finished)],
  };
}

/** Returns the report for Markdown, with a table of the numbers that the paper gives. */
export function paperSummary(run: PaperRun, finished: readonly Finished[]): Report {
  const report = paperReport(run, finished);
  const numbers = numbersOf(finished).filter(({ paper: value }) => value !== null);
  return { ...report, opening: numbers.length === 0 ? [] : [overviewTable(numbers)] };
}

function overviewTable(numbers: readonly PaperNumber[]): ReportBlock {
  return {
    kind: "table",
    columns: [
      { label: "quantity" },
      { label: "paper" },
      { label: "here" },
      { label: "unit" },
      { label: "fit in" },
    ],
    rows: numbers.map((number) => [
      number.name,
      withMinus(number.paper ?? "–"),
      valueText(number),
      number.unit,
      number.fit ? duration(number.fit.seconds) : "–",
    ]),
  };
}

function numbersOf(finished: readonly Finished[]): readonly PaperNumber[] {
  return finished.flatMap(({ result }) => (typeof result === "string" ? [] : result.numbers));
}

/** Returns highlights: numbers that the paper has, too. */
function openingOf({ quick }: PaperRun, finished: readonly Finished[]): ReportBlock[] {
  // Numbers of other images cannot be compared at a glance.
  if (quick) return [];
  const items: Highlight[] = [];
  for (const { name, value, unit, paper: theirs } of numbersOf(finished)) {
    if (theirs === null) continue;
    const label = `${name}; paper ${withMinus(theirs)}`;
    items.push({ label, value: fixed(value, 2), unit });
  }
  return items.length === 0 ? [] : [{ kind: "highlights", items }];
}

function sectionOf({ experiment, result, seconds }: Finished, run: PaperRun): ReportSection {
  const { title, section, name } = experiment;
  const opening: ReportBlock = { kind: "paragraph", text: [{ emphasis: `Paper ${section}.` }] };
  if (typeof result === "string") {
    return { title, name, blocks: [opening, { kind: "paragraph", text: `It failed: ${result}` }] };
  }
  return {
    title,
    name,
    blocks: [
      opening,
      ...(result.hasTable || result.numbers.length === 0 ? [] : [numbersTable(result.numbers)]),
      ...result.blocks,
      {
        kind: "details",
        summary: "Where this comes from",
        entries: [
          ["command", { code: run.commandFor([name]) }],
          ["seed", String(run.seed)],
          ["time", `${duration(seconds)}, not counting earlier fits`],
          ...fitEntries(result),
        ],
      },
    ],
  };
}

function numbersTable(numbers: readonly PaperNumber[]): ReportBlock {
  const hasPaper = numbers.some(({ paper: value }) => value !== null);
  // A common unit goes into the head, since phones have no room for another column.
  const units = new Set(numbers.map(({ unit }) => unit));
  const [unit] = units.size === 1 ? units : [undefined];
  const text = (words: string): string => words.replaceAll(" ± ", "\u00a0±\u00a0");
  return {
    kind: "table",
    columns: [
      { label: "quantity" },
      ...(hasPaper ? [{ label: "paper" }] : []),
      { label: "here", ...(unit === undefined ? {} : { unit }) },
      ...(unit === undefined ? [{ label: "unit" }] : []),
    ],
    rows: numbers.map((number) => [
      number.name,
      ...(hasPaper ? [number.paper === null ? "–" : withMinus(number.paper)] : []),
      text(valueText(number)),
      ...(unit === undefined ? [number.unit.replaceAll(" ", "\u00a0")] : []),
    ]),
  };
}

function fitEntries({ fits }: ExperimentResult) {
  return fits.map((fit: FitRecord) => {
    const took = Number.isFinite(fit.seconds) ? `, ${duration(fit.seconds)}` : "";
    return [
      fit.title,
      [
        { code: fit.command },
        ` (${thousands(fit.steps)} steps${took}; data ${fit.dataHash.slice(0, 19)}…)`,
      ],
    ] as const;
  });
}

function originSection(run: PaperRun, finished: readonly Finished[]): ReportSection {
  const seconds = finished.reduce((sum, each) => sum + each.seconds, 0);
  return {
    title: "Make it again",
    blocks: [
      { kind: "code", code: run.commandFor(finished.map(({ experiment }) => experiment.name)) },
      {
        kind: "paragraph",
        text: "Each section names its own command under “Where this comes from”. Finished experiments and fits are reused, and interrupted ones resume. The same seed gives bit-identical models, with any number of threads. results.json, beside this page, has every number with its command, its seed and the hash of its data.",
      },
      {
        kind: "details",
        summary: "Version and machine",
        entries: [
          ["version", `gaussianize ${packageVersion()}`],
          ["machine", machineOf(run)],
          ["time", `${duration(seconds)}, not counting earlier fits`],
        ],
      },
    ],
  };
}

/** Writes the files of a report: an HTML page, Markdown with figures, and JSON. */
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

/** Removes figures that are no longer in the report. */
async function removeOthers(folder: string, wanted: ReadonlySet<string>): Promise<void> {
  const found = await readdir(folder).catch(() => []);
  for (const name of found) {
    const isOurs = /^[a-z-]+-\d+\.(svg|png)$/.test(name);
    if (isOurs && !wanted.has(name)) await rm(join(folder, name));
  }
}
