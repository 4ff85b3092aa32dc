/** Checks options of a fit against the table (fit-options.ts), and applies defaults. */
import { expected } from "../errors.js";
import type { Decided, FitOption, OptionValue } from "./fit-option.js";
import {
  type FitAsked,
  type FitOptionName,
  type OptionsExceptFor,
  type SettledOptions,
  fitOptions,
} from "./fit-options.js";

/** The table without the types of its values. */
export const optionTable = fitOptions as unknown as Readonly<Record<FitOptionName, FitOption>>;

export const optionNames = Object.keys(fitOptions) as readonly FitOptionName[];

/** Returns the names of options of model and training that are not for `other`. */
export function namesExceptFor<Other extends "patches" | "cascades">(
  other: Other,
): readonly (keyof OptionsExceptFor<Other> & FitOptionName)[] {
  const isAmong = (name: FitOptionName): name is keyof OptionsExceptFor<Other> & FitOptionName => {
    const { group, for: kind } = optionTable[name];
    return kind !== other && (group === "model" || group === "training");
  };
  return optionNames.filter(isAmong);
}

/** @throws GaussianizeError that names the first option with an invalid value */
export function checkOptions(given: object, names: readonly FitOptionName[]): void {
  for (const name of names) {
    const value: unknown = given[name as keyof typeof given];
    const { rule, isRight } = optionTable[name].values;
    if (value !== undefined && !isRight(value)) throw expected(name, rule, value);
  }
}

/** Returns the default of an option, given others; undefined if it is not set. */
export function defaultOf(name: FitOptionName, decided: Decided): OptionValue | undefined {
  const { default: usual } = optionTable[name];
  return typeof usual === "function" ? usual(decided) : usual;
}

type WithDefaults<Name extends FitOptionName> = {
  readonly [N in Name]: Exclude<FitAsked[N], undefined>;
};

/** Returns the named options, with defaults for those not given. */
export function withDefaults<Name extends FitOptionName>(
  given: { readonly [N in Name]?: FitAsked[N] },
  names: readonly Name[],
  decided: Decided,
): WithDefaults<Name> {
  const values = names.map((name) => [name, given[name] ?? defaultOf(name, decided)]);
  return Object.fromEntries(values) as WithDefaults<Name>;
}

/** Returns all options as in config.json: requested values, and defaults for the others. */
export function settledOptions(asked: FitAsked): SettledOptions {
  const defined = Object.entries(asked).filter(([, value]) => value !== undefined);
  const known = Object.fromEntries(defined) as Partial<Record<FitOptionName, OptionValue>>;
  const settled = optionNames.flatMap((name) => {
    const value = known[name] ?? defaultOf(name, known as Decided);
    if (value === undefined) return [];
    known[name] = value;
    const { settled: settle, absent } = optionTable[name];
    const last = settle ? settle(value, known as Decided) : value;
    return last === absent ? [] : [[name, last] as const];
  });
  return Object.fromEntries(settled) as unknown as SettledOptions;
}
