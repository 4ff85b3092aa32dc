/** The work of `gaussianize paper`: runs experiments of the paper and writes one report. */
import { join } from "node:path";
import { dataFolder } from "../../node/data-folder.js";
import { svgDocument } from "../../node/figures.js";
import { makeFolder } from "../../node/make-folder.js";
import type { Experiment, PaperContext } from "../../paper/experiment.js";
import { experiments } from "../../paper/experiments.js";
import { GaussianizeError, UsageError } from "../../src/errors.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import type { Effects } from "../effects.js";
import { withRunner } from "../model-files.js";
import { choiceRule } from "../options.js";
import { duration, quoted } from "../text.js";
import { imagesFor, paperContext } from "./context.js";
import { type PaperTerms, forgetParts, keepExperiment, keptExperiment } from "./kept.js";
import { writeReport } from "./report.js";
import { type Finished, numberLine, resultsOf } from "./results.js";

export interface PaperOptions {
  readonly data?: string;
  readonly output?: string;
  readonly quick?: true;
  readonly steps?: number;
  readonly seed: number;
  readonly workers?: number;
  readonly again?: true;
  readonly json?: true;
}

const names = experiments.map(({ name }) => name);
const inAll = experiments.filter(({ isLong }) => !isLong);

export async function paper(
  chosen: readonly string[],
  options: PaperOptions,
  effects: Effects,
): Promise<void> {
  requireNames(chosen);
  if (chosen.length === 0 || chosen.includes("list")) {
    if (chosen.length > 1)
      throw new UsageError("Give either list or names of experiments, not both.");
    if (chosen.length === 0 && (options.quick || options.output !== undefined)) {
      throw new UsageError(`Which experiments? Give all, or some of ${names.join(", ")}.`);
    }
    effects.stdout.write(options.json ? listJson() : listText());
    return;
  }
  const { output } = options;
  if (output === undefined) {
    throw new UsageError("Where should the report go? Give -o <folder>.");
  }
  const asked = experiments.filter(
    (each) => chosen.includes(each.name) || (chosen.includes("all") && inAll.includes(each)),
  );
  if (options.quick) requireQuick(asked);
  const folder = dataFolder(options, effects.environment);
  await requireData(asked, options.quick === true, folder);
  await makeFolder(join(output, "fits"));
  await withRunner(options, (runner) =>
    runAll(runner, asked, { ...options, output, folder }, effects),
  );
}

function requireNames(chosen: readonly string[]): void {
  const all = ["list", "all", ...names];
  const wrong = chosen.find((name) => !all.includes(name));
  if (wrong === undefined) return;
  throw new UsageError(`The name of an experiment ${choiceRule(all, wrong)}; received "${wrong}"`);
}

function requireQuick(asked: readonly Experiment[]): void {
  const slow = asked.find(({ minutes }) => minutes.quick === null);
  if (!slow) return;
  throw new UsageError(
    `${slow.name} has no quick version, since it is about the paper’s size. A small cascade: gaussianize paper cascade --quick`,
  );
}

type Chosen = PaperOptions & { readonly output: string; readonly folder: string };

/** Checks that all data are present before hours of work. */
async function requireData(
  asked: readonly Experiment[],
  quick: boolean,
  folder: string,
): Promise<void> {
  for (const set of new Set(asked.flatMap(({ data }) => data))) await imagesFor(set, quick, folder);
}

async function runAll(
  runner: TaskRunner,
  asked: readonly Experiment[],
  options: Chosen,
  effects: Effects,
): Promise<void> {
  const { output, seed, steps, folder, quick = false, again, json } = options;
  const signal = effects.interruption();
  const commandFor = (some: readonly string[]): string => commandOf(some, options);
  const command = commandFor(asked.map(({ name }) => name));
  const place = { folder: join(output, "fits"), dataFolder: folder, steps, command };
  const document = await svgDocument();
  const context = paperContext(
    { runner, document, signal, seed, quick, place, report: output },
    effects,
  );
  const run = { commandFor, seed, quick, threads: runner.size, kernels: runner.kernels.name };
  const terms: PaperTerms = { quick, seed, steps: steps ?? null };
  const finished = new Map<Experiment, Finished>();
  for (const experiment of experiments) {
    const kept = await keptExperiment(output, experiment.name, terms);
    if (kept) finished.set(experiment, { experiment, ...kept });
  }
  // In the order of the paper.
  const all = (): readonly Finished[] => experiments.flatMap((each) => finished.get(each) ?? []);
  for (const experiment of asked) {
    const kept = again ? undefined : finished.get(experiment);
    if (kept) effects.stderr.write(`${experiment.name}: reused (repeat it with --again)\n`);
    if (again) await forgetParts(output, experiment.name, terms);
    const done = kept ?? (await runOne(experiment, context, command, effects));
    finished.set(experiment, done);
    const { result, seconds } = done;
    if (!kept && typeof result !== "string") {
      await keepExperiment(output, experiment.name, terms, { result, seconds });
      await forgetParts(output, experiment.name, terms);
    }
    if (!json) effects.stdout.write(textOf(done));
    // After each experiment, since the next one may be interrupted.
    await writeReport(output, run, all());
  }
  if (json) effects.stdout.write(`${JSON.stringify(resultsOf(run, all()), null, 2)}\n`);
  else effects.stdout.write(`Wrote ${join(output, "report.html")}: open it in a browser.\n`);
  const failed = all().filter(({ result }) => typeof result === "string");
  if (failed.length === 0) return;
  throw new GaussianizeError(
    "partly-failed",
    `${failed.map(({ experiment }) => experiment.name).join(", ")} failed; the report says why.`,
  );
}

/** Runs one experiment; its failure does not stop the others. */
async function runOne(
  experiment: Experiment,
  context: PaperContext,
  command: string,
  effects: Effects,
): Promise<Finished> {
  const start = effects.now();
  const { signal } = context;
  effects.stderr.write(`${experiment.title} (paper ${experiment.section})\n`);
  try {
    if (signal.aborted) throw signal.reason as Error;
    const result = await experiment.run(context);
    return { experiment, result, seconds: (effects.now() - start) / 1000 };
  } catch (error) {
    // The error of an interrupted fit is complete.
    if (error === signal.reason) throw interrupted(signal, command);
    if (signal.aborted || !(error instanceof GaussianizeError)) throw error;
    return { experiment, result: error.message, seconds: (effects.now() - start) / 1000 };
  }
}

function interrupted(signal: AbortSignal, command: string): Error {
  const { exitCode = 130 } = (signal.reason ?? {}) as { exitCode?: number };
  const error = new GaussianizeError(
    "interrupted",
    "Interrupted; finished experiments and fits are kept. Resume with:",
  );
  return Object.assign(error, { exitCode, command });
}

function textOf({ experiment, result, seconds }: Finished): string {
  const head = `${experiment.name} (${duration(seconds)})\n`;
  if (typeof result === "string") return `${head}  failed: ${result}\n`;
  return `${head}${result.numbers.map(numberLine).join("")}`;
}

function commandOf(some: readonly string[], options: Chosen): string {
  const { output, data, quick, steps, seed } = options;
  return [
    `gaussianize paper ${namesFor(some)}`,
    `-o ${quoted(output)}`,
    ...(data === undefined ? [] : [`--data ${quoted(data)}`]),
    ...(quick ? ["--quick"] : []),
    ...(steps === undefined ? [] : [`--steps ${steps}`]),
    `--seed ${seed}`,
  ].join(" ");
}

/** Replaces the names of all experiments that `all` runs by this word. */
function namesFor(some: readonly string[]): string {
  const isAll = inAll.every(({ name }) => some.includes(name));
  const others = some.filter((name) => !inAll.some((each) => each.name === name));
  return (isAll ? ["all", ...others] : some).join(" ");
}

function listJson(): string {
  const all = experiments.map(({ name, title, section, data, minutes, isLong = false }) => ({
    name,
    title,
    section,
    data,
    minutes,
    isLong,
  }));
  return `${JSON.stringify(all, null, 2)}\n`;
}

function listText(): string {
  const minutesOf = (minutes: number): string => duration(60 * minutes).replace(/ 0 s$/, "");
  const rows = [
    ["name", "data", "time", "--quick", "experiment"],
    ...experiments.map(({ name, data, minutes, title, section }) => [
      name,
      data.join(", "),
      minutesOf(minutes.full),
      minutes.quick === null ? "–" : minutesOf(minutes.quick),
      `${title}: ${section}`,
    ]),
  ];
  const widths = rows[0].map((_, k) => Math.max(...rows.map((row) => row[k].length)));
  const lines = rows.map((row) =>
    row
      .map((cell, k) => cell.padEnd(widths[k]))
      .join("  ")
      .trimEnd(),
  );
  const long = names.filter((name) => !inAll.some((each) => each.name === name));
  const longNames = new Intl.ListFormat("en-GB").format(long);
  return `${lines.join("\n")}\n\nTimes are estimates for two cores without earlier fits. Experiments share fits: paper all\ntakes about an hour, or six minutes with --quick. It leaves out ${longNames}.\n`;
}
