/** `gaussianize paper`: the experiments of the paper, in one report. */
import { join } from "node:path";
import type { Command } from "commander";
import { dataFolder } from "../../node/data-folder.js";
import { svgDocument } from "../../node/figures.js";
import { makeFolder } from "../../node/make-folder.js";
import { openRunner } from "../../node/worker-threads.js";
import type { Experiment, PaperContext } from "../../paper/experiment.js";
import { experiments } from "../../paper/experiments.js";
import { GaussianizeError, UsageError } from "../../src/errors.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import type { Effects } from "../effects.js";
import { quoted } from "../fit/run.js";
import { oneOf, outputFolder, wholeNumber, workerCount } from "../options.js";
import { imagesFor, paperContext } from "../paper/context.js";
import { type PaperTerms, forgetParts, keepExperiment, keptExperiment } from "../paper/kept.js";
import { writeReport } from "../paper/report.js";
import { type Finished, numberLine, resultsOf } from "../paper/results.js";
import { duration } from "../text.js";

interface PaperOptions {
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
const word = oneOf(["list", "all", ...names]);

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Repeats the experiments of the paper, and writes a report with the paper's values beside ours. Experiments and fits are kept in the folder of the report: what is finished is used again, what was interrupted goes on.",
    )
    .argument("[names...]", `list, all, or some of ${names.join(", ")}`, experimentNames)
    .option("-o, --output <report>", "folder of the report", outputFolder)
    .option("--data <dir>", "folder of the sets of images (default: GAUSSIANIZE_DATA, or a cache)")
    .option(
      "--quick",
      "minutes: 8×8 patches and pairs of the photographs that come with the package",
    )
    .option("--steps <n>", "steps of every fit, to try it out (default: enough)", wholeNumber(1))
    .option("--seed <n>", "the same seed gives the same numbers", wholeNumber(0), 1)
    .option("--workers <n>", "worker threads, 0 to 1024 (default: one per core)", workerCount)
    .option("--again", "make the experiments again that are kept there; their fits stay")
    .option("--json", "print the results as JSON")
    .addHelpText(
      "after",
      `
Examples:
  gaussianize paper list                                what there is, and how long it takes
  gaussianize paper all --quick -o report               minutes, nothing to fetch
  gaussianize paper all --data data/ -o report          an hour, the paper's data and sizes
  gaussianize paper negentropy samples --data data/ -o report
`,
    )
    .action((chosen: readonly string[], options: PaperOptions) => paper(chosen, options, effects));
}

function experimentNames(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, word(text)];
}

async function paper(
  chosen: readonly string[],
  options: PaperOptions,
  effects: Effects,
): Promise<void> {
  if (chosen.length === 0 || chosen.includes("list")) {
    if (chosen.length > 1) throw new UsageError("list stands alone.");
    if (chosen.length === 0 && (options.quick || options.output !== undefined)) {
      throw new UsageError(`Which experiments? all, or some of ${names.join(", ")}.`);
    }
    effects.stdout.write(options.json ? listJson() : listText());
    return;
  }
  const { output, workers } = options;
  if (output === undefined) throw new UsageError("Which folder for the report? Give -o.");
  const asked = experiments.filter(({ name }) => chosen.includes("all") || chosen.includes(name));
  const folder = dataFolder(options, effects.environment);
  await requireData(asked, options.quick === true, folder);
  await makeFolder(join(output, "fits"));
  const runner = await openRunner({
    callerWorks: true,
    ...(workers === undefined ? {} : { workers }),
  });
  try {
    await runAll(runner, asked, { ...options, output, folder }, effects);
  } finally {
    await runner.close();
  }
}

type Chosen = PaperOptions & { readonly output: string; readonly folder: string };

/** Before hours of work, not in the midst of them. */
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
  // In the order of the paper, whatever was made first.
  const all = (): readonly Finished[] => experiments.flatMap((each) => finished.get(each) ?? []);
  for (const experiment of asked) {
    const kept = again ? undefined : finished.get(experiment);
    if (kept)
      effects.stderr.write(`${experiment.name} is kept from before (--again makes it again)\n`);
    if (again) await forgetParts(output, experiment.name, terms);
    const done = kept ?? (await runOne(experiment, context, command, effects));
    finished.set(experiment, done);
    const { result, seconds } = done;
    if (!kept && typeof result !== "string") {
      await keepExperiment(output, experiment.name, terms, { result, seconds });
      await forgetParts(output, experiment.name, terms);
    }
    if (!json) effects.stdout.write(textOf(done));
    // After each of them: what comes next may be interrupted.
    await writeReport(output, run, all());
  }
  if (json) effects.stdout.write(`${JSON.stringify(resultsOf(run, all()), null, 2)}\n`);
  else effects.stdout.write(`Report, to open in a browser: ${join(output, "report.html")}\n`);
  const failed = all().filter(({ result }) => typeof result === "string");
  if (failed.length === 0) return;
  throw new GaussianizeError(
    "partly-failed",
    `${failed.map(({ experiment }) => experiment.name).join(", ")} failed; the report says why.`,
  );
}

/** One that fails does not take the others with it. */
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
    // A fit that was interrupted has said so itself.
    if (error === signal.reason) throw interrupted(signal, command);
    if (signal.aborted || !(error instanceof GaussianizeError)) throw error;
    return { experiment, result: error.message, seconds: (effects.now() - start) / 1000 };
  }
}

function interrupted(signal: AbortSignal, command: string): Error {
  const { exitCode = 130 } = (signal.reason ?? {}) as { exitCode?: number };
  const error = new GaussianizeError(
    "interrupted",
    `Interrupted; what was finished is kept. Go on with: ${command}`,
  );
  return Object.assign(error, { exitCode });
}

function textOf({ experiment, result, seconds }: Finished): string {
  const head = `${experiment.name} (${duration(seconds)})\n`;
  if (typeof result === "string") return `${head}  failed: ${result}\n`;
  return `${head}${result.numbers.map(numberLine).join("")}`;
}

function commandOf(some: readonly string[], options: Chosen): string {
  const { output, data, quick, steps, seed } = options;
  return [
    `gaussianize paper ${some.length === experiments.length ? "all" : some.join(" ")}`,
    `-o ${quoted(output)}`,
    ...(data === undefined ? [] : [`--data ${quoted(data)}`]),
    ...(quick ? ["--quick"] : []),
    ...(steps === undefined ? [] : [`--steps ${steps}`]),
    `--seed ${seed}`,
  ].join(" ");
}

function listJson(): string {
  const all = experiments.map(({ name, title, section, data, minutes }) => ({
    name,
    title,
    section,
    data,
    minutes,
  }));
  return `${JSON.stringify(all, null, 2)}\n`;
}

function listText(): string {
  const minutesOf = (minutes: number): string => duration(60 * minutes).replace(/ 0 s$/, "");
  const rows = [
    ["name", "data", "time", "--quick", "what"],
    ...experiments.map(({ name, data, minutes, title, section }) => [
      name,
      data.join(", "),
      minutesOf(minutes.full),
      minutesOf(minutes.quick),
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
  return `${lines.join("\n")}\n\nTimes are estimates for two cores, where no fit is there yet. Several experiments share fits: all of\nthem together take about three hours, with --quick about six minutes.\n`;
}
