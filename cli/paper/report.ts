/** The report of the paper's experiments, one page. */
import {
  type Highlight,
  type Report,
  type ReportBlock,
  type ReportSection,
  reportPage,
} from "../../src/index.js";
import type { ExperimentResult, PaperFit, PaperNumber } from "../../paper/experiment.js";
import { packageVersion } from "../package-version.js";
import { duration, thousands } from "../text.js";
import { type Finished, type PaperRun, machineOf, valueText } from "./results.js";

const paper = "https://arxiv.org/abs/1511.06281";

export function paperReport(run: PaperRun, finished: readonly Finished[]): string {
  const report: Report = {
    title: "The paper’s experiments on image patches",
    lead: [
      "Section 4.2 of Ballé, Laparra & Simoncelli, ",
      {
        link: "Density Modeling of Images using a Generalized Normalization Transformation",
        href: paper,
      },
      run.quick
        ? ", on small patches of the photographs that come with the package: the same experiments in minutes. The paper’s values, given beside, are for other images and larger patches."
        : ", again: the paper’s values beside ours.",
    ],
    opening: openingOf(run, finished),
    sections: [...finished.map((each) => sectionOf(each, run)), originSection(run, finished)],
  };
  return reportPage(report);
}

/** Numbers that the paper has, too. */
function openingOf({ quick }: PaperRun, finished: readonly Finished[]): ReportBlock[] {
  // Of other images, they would tell nothing at a glance.
  if (quick) return [];
  const items: Highlight[] = [];
  for (const { result } of finished) {
    if (typeof result === "string") continue;
    for (const number of result.numbers) {
      if (number.paper === null) continue;
      const label = `${number.name}; paper ${minus(number.paper)}`;
      items.push({ label, value: minus(number.value.toFixed(2)), unit: number.unit });
    }
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
    return { title, blocks: [opening, { kind: "paragraph", text: `It failed: ${result}` }] };
  }
  return {
    title,
    blocks: [
      opening,
      ...(result.hasTable || result.numbers.length === 0 ? [] : [numbersTable(result.numbers)]),
      ...result.blocks,
      {
        kind: "details",
        summary: "Where this comes from",
        entries: [
          ["command", { code: run.command.replace(/paper .*? -o/, `paper ${name} -o`) }],
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
  const text = (words: string): string => words.replaceAll(" ± ", "\u00a0±\u00a0");
  return {
    kind: "table",
    columns: [
      { label: "figure" },
      ...(hasPaper ? [{ label: "paper" }] : []),
      { label: "here" },
      { label: "unit" },
    ],
    rows: numbers.map((number) => [
      number.name,
      ...(hasPaper ? [number.paper === null ? "–" : minus(number.paper)] : []),
      text(valueText(number)),
      number.unit,
    ]),
  };
}

function fitEntries({ fits }: ExperimentResult) {
  return fits.map((fit: PaperFit) => {
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
      { kind: "code", code: run.command },
      {
        kind: "paragraph",
        text: "Fits that are finished are used again, and one that was interrupted goes on where it stood. The same seed gives the same models to the last bit, with any number of threads. results.json, beside this page, has every number with its command, seed and the hash of its data.",
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
