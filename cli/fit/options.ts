/**
 * The flags of `gaussianize fit`: the options that determine the model
 * (src/training/fit-options.ts), and those of a run, which are declared here.
 */
import { type Command, InvalidArgumentError, Option } from "commander";
import {
  type FitOption,
  type OptionValue,
  type Values,
  oneOf,
  text,
  truth,
  whole,
} from "../../src/training/fit-option.js";
import type { FitAsked, FitOptionName } from "../../src/training/fit-options.js";
import { optionNames, optionTable } from "../../src/training/settle-options.js";
import * as parsers from "../options.js";

type RunOption<T> = Pick<
  FitOption<T>,
  "flag" | "values" | "group" | "help" | "default" | "defaultText"
>;

/** Options of a run, which do not change a bit of the model. */
const runOptions = {
  output: runOption({
    flag: "-o, --output <run>",
    values: text("be the name of a folder"),
    group: "run",
    help: "folder of the run (required)",
  }),
  embedded: runOption({
    flag: "--embedded",
    values: truth,
    group: "images",
    help: "use the photographs that come with the package",
  }),
  strict: runOption({
    flag: "--strict",
    values: truth,
    group: "images",
    help: "fail on the first unusable image instead of skipping it",
  }),
  resume: runOption({
    flag: "--resume",
    values: truth,
    group: "run",
    help: "resume the run in the folder, if there is one; extend it with more --steps",
  }),
  force: runOption({
    flag: "--force",
    values: truth,
    group: "run",
    help: "replace the run in the folder",
  }),
  workers: runOption({
    flag: "--workers <n>",
    values: whole(0, 1024),
    defaultText: "one per core",
    group: "run",
    help: "worker threads",
  }),
  distributed: runOption({
    flag: "--distributed <engine>",
    values: oneOf(["mpi", "none"]),
    group: "run",
    help: "mpi: the processes of mpirun or srun fit one model; none: each fits its own",
  }),
  json: runOption({
    flag: "--json",
    values: truth,
    group: "run",
    help: "print the result as JSON",
  }),
};

function runOption<T, O extends RunOption<T>>(declared: O & { readonly values: Values<T> }): O {
  return declared;
}

type RunOptionName = keyof typeof runOptions;

export type RunOptions = { readonly output: string } & {
  readonly [Name in Exclude<RunOptionName, "output">]?: (typeof runOptions)[Name] extends {
    readonly values: Values<infer T>;
  }
    ? T
    : never;
};

/** A parsed command line. */
export interface FitCommandLine {
  readonly patterns: readonly string[];
  /** Options of the fit that the command line gives. */
  readonly asked: FitAsked;
  readonly options: RunOptions;
}

const groups = {
  images: "Images:",
  model: "Model:",
  training: "Training:",
  run: "Run:",
} as const;

const allOptions = { ...runOptions, ...optionTable } as Readonly<
  Record<FitOptionName | RunOptionName, RunOption<OptionValue>>
>;

export function addFitOptions(command: Command): void {
  for (const group of Object.keys(groups)) {
    for (const option of Object.values(allOptions)) {
      if (option.group === group) command.addOption(flagFor(option));
    }
  }
}

function flagFor(declared: RunOption<OptionValue>): Option {
  const { flag, values, help, group } = declared;
  const usual = defaultTextOf(declared);
  const option = new Option(flag, usual === undefined ? help : `${help} (default: ${usual})`);
  option.helpGroup(groups[group]).makeOptionMandatory(declared === runOptions.output);
  return values.kind === "truth" ? option : option.argParser(parserOf(values));
}

/** Returns the default to print; undefined for flags and for functions of other options. */
function defaultTextOf(declared: RunOption<OptionValue>): string | undefined {
  const { default: usual, defaultText } = declared;
  const isOne = typeof usual === "string" || typeof usual === "number";
  return defaultText ?? (isOne ? String(usual) : undefined);
}

function parserOf(values: Values<OptionValue>): (text: string) => OptionValue {
  const { kind, choices = [], least = 0, most } = values;
  if (kind === "choice") return parsers.oneOf(choices);
  if (kind === "whole") return parsers.wholeNumber(least, most);
  return (word) => {
    const value = kind === "text" ? word : word.trim() === "" ? NaN : Number(word);
    if (values.isRight(value)) return value;
    throw new InvalidArgumentError(`It must ${values.rule}.`);
  };
}

/** Collects the given options; defaults follow later, since they depend on each other. */
export function commandLineOf(patterns: readonly string[], command: Command): FitCommandLine {
  const given = new Map<string, OptionValue>();
  for (const option of command.options) {
    const name = option.attributeName();
    if (command.getOptionValueSource(name) !== "cli") continue;
    given.set(option.long ?? name, command.getOptionValue(name) as OptionValue);
  }
  const valuesOf = (names: readonly string[]): object =>
    Object.fromEntries(
      names.flatMap((name) => {
        const { flag } = allOptions[name as FitOptionName];
        const value = given.get(/--[\w-]+/.exec(flag)?.[0] ?? "");
        return value === undefined ? [] : [[name, inUnits(name, value)] as const];
      }),
    );
  return {
    patterns,
    asked: valuesOf(optionNames),
    options: valuesOf(Object.keys(runOptions)) as RunOptions,
  };
}

function inUnits(name: string, value: OptionValue): OptionValue {
  const { flagUnits = 1 } = (optionTable as Partial<Record<string, FitOption>>)[name] ?? {};
  return typeof value === "number" ? value / flagUnits : value;
}
