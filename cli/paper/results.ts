/** The numbers of `gaussianize paper`: results.json and lines of text. */
import { availableParallelism, cpus } from "node:os";
import type { Experiment, ExperimentResult, PaperNumber } from "../../paper/experiment.js";
import { measured, withMinus } from "../../src/numbers/format-number.js";
import { packageVersion } from "../package.js";

export interface Finished {
  readonly experiment: Experiment;
  /** Seconds of this run, without reused fits. */
  readonly seconds: number;
  /** Result, or the sentence that says why there is none. */
  readonly result: ExperimentResult | string;
}

export interface PaperRun {
  /** Returns the command that repeats some experiments. */
  readonly commandFor: (names: readonly string[]) => string;
  readonly seed: number;
  readonly quick: boolean;
  readonly threads: number;
  readonly kernels: string;
}

/** Returns the content of results.json. */
export function resultsOf(run: PaperRun, finished: readonly Finished[]) {
  return {
    format: "gaussianize-paper",
    version: "1",
    program: packageVersion(),
    machine: machineOf(run),
    command: run.commandFor(finished.map(({ experiment }) => experiment.name)),
    seed: run.seed,
    quick: run.quick,
    experiments: finished.map(({ experiment, seconds, result }) => ({
      name: experiment.name,
      title: experiment.title,
      section: experiment.section,
      seconds,
      ...(typeof result === "string"
        ? { failure: result, numbers: [] }
        : { numbers: result.numbers.map((number) => numberOf(number, experiment.name, run)) }),
    })),
  };
}

function numberOf(
  { fit, dataHash, ...number }: PaperNumber,
  name: string,
  { commandFor, seed }: PaperRun,
) {
  return {
    ...number,
    command: commandFor([name]),
    seed,
    dataHash: fit?.dataHash ?? dataHash ?? null,
    fit: fit && {
      command: fit.command,
      model: fit.path,
      steps: fit.steps,
      seconds: fit.seconds,
    },
  };
}

export function machineOf({ threads, kernels }: Pick<PaperRun, "threads" | "kernels">): string {
  // Some systems do not name their processors.
  const [processor = process.arch] = cpus().map(({ model }) => model);
  return `${processor}, ${availableParallelism()} cores, ${threads} threads used, Node ${process.version}, kernels “${kernels}”`;
}

/** Formats a number, with its standard error if that is known. */
export function valueText({ value, standardError }: PaperNumber): string {
  if (standardError !== null) return measured(value, standardError);
  const digits = Number.isInteger(value) ? value.toString() : value.toPrecision(3);
  return withMinus(digits);
}

export function numberLine(number: PaperNumber): string {
  const { name, unit, paper } = number;
  const beside = paper === null ? "" : `   (paper ${withMinus(paper)})`;
  return `  ${name}: ${valueText(number)}${unit === "" ? "" : ` ${unit}`}${beside}\n`;
}
