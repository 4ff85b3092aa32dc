/** The report of the paper's experiments, one page. */
import {
  type Highlight,
  type Report,
  type ReportBlock,
  type ReportSection,
} from "../../src/index.js";
import type { ExperimentResult, FitRecord, PaperNumber } from "../../paper/experiment.js";
import { packageVersion } from "../package-version.js";
import { duration, thousands } from "../text.js";
import { type Finished, type PaperRun, machineOf, valueText } from "./results.js";

const paper = "https://arxiv.org/abs/1511.06281";

/** For HTML, with large figures at its head. */
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
        : ", again: the paper’s values, where it gives any, beside ours.",
    ],
    opening: openingOf(run, finished),
    sections: [...finished.map((each) => sectionOf(each, run)), originSection(run, finished)],
  };
}

/** For Markdown, with a table of all that the paper gives a number for. */
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
      minus(number.paper ?? "–"),
      valueText(number),
      number.unit,
      number.fit ? duration(number.fit.seconds) : "–",
    ]),
  };
}

function numbersOf(finished: readonly Finished[]): readonly PaperNumber[] {
  return finished.flatMap(({ result }) => (typeof result === "string" ? [] : result.numbers));
}

/** Numbers that the paper has, too. */
function openingOf({ quick }: PaperRun, finished: readonly Finished[]): ReportBlock[] {
  // Of other images, they would tell nothing at a glance.
  if (quick) return [];
  const items: Highlight[] = [];
  for (const { name, value, unit, paper: theirs } of numbersOf(finished)) {
    if (theirs === null) continue;
    const label = `${name}; paper ${minus(theirs)}`;
    items.push({ label, value: minus(value.toFixed(2)), unit });
  }
  return items.length === 0 ? [] : [{ kind: "highlights", items }];
}

function minus(value: number | string): string {
  return String(value).replace("-", "−");
}

function sectionOf({ experiment, result, seconds }: Finished, run: PaperRun): ReportSection {
  const { title, section, name } = experiment;
  const opening: ReportBlock = { kind: "paragraph", text: [{ emphasis: `Paper ${section}.` }] };
  if (typeof result === "string") {
    return { title, name, blocks: [opening, { kind: "paragraph", text: `It failed: ${result}` }] };
  }
  return {
    ...{ title, name },
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
          ["time", `${duration(seconds)}, without fits that were there before`],
          ...fitEntries(result),
        ],
      },
    ],
  };
}

function numbersTable(numbers: readonly PaperNumber[]): ReportBlock {
  const hasPaper = numbers.some(({ paper: value }) => value !== null);
  // One unit for all is in the head: on a phone there is no room for a column.
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
      ...(hasPaper ? [number.paper === null ? "–" : minus(number.paper)] : []),
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
        text: "Experiments and fits that are finished are used again, and what was interrupted goes on where it stood. The same seed gives the same models to the last bit, with any number of threads. results.json, beside this page, has every number with its command, seed and the hash of its data.",
      },
      {
        kind: "details",
        summary: "Version and machine",
        entries: [
          ["version", `gaussianize ${packageVersion()}`],
          ["machine", machineOf(run)],
          ["time", `${duration(seconds)}, without fits that were there before`],
        ],
      },
    ],
  };
}
