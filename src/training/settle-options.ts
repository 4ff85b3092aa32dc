/** Options of a fit with their defaults, checked against the table (fit-options.ts). */
import { expected } from "../errors.js";
import type { Decided, FitOption, OptionValue } from "./fit-option.js";
import {
  type FitAsked,
  type FitOptionName,
  type OptionsExceptFor,
  type SettledOptions,
  fitOptions,
} from "./fit-options.js";

/** The table without the types of its values, for code that treats all options alike. */
export const optionTable = fitOptions as unknown as Readonly<Record<FitOptionName, FitOption>>;

export const optionNames = Object.keys(fitOptions) as readonly FitOptionName[];

/** Names of the options of the model and of its training that are not for `other`. */
export function namesExceptFor<Other extends "patches" | "cascades">(
  other: Other,
): readonly (keyof OptionsExceptFor<Other> & FitOptionName)[] {
  const isAmong = (name: FitOptionName): name is keyof OptionsExceptFor<Other> & FitOptionName => {
    const { group, for: kind } = optionTable[name];
    return kind !== other && (group === "model" || group === "training");
  };
  return optionNames.filter(isAmong);
}

/** @throws GaussianizeError that names the first option with a value that it cannot have */
export function checkOptions(given: object, names: readonly FitOptionName[]): void {
  for (const name of names) {
    const value: unknown = given[name as keyof typeof given];
    const { rule, isRight } = optionTable[name].values;
    if (value !== undefined && !isRight(value)) throw expected(name, rule, value);
  }
}

/** Returns the default of an option, given others; undefined where it is not set. */
export function defaultOf(name: FitOptionName, decided: Decided): OptionValue | undefined {
  const { default: usual } = optionTable[name];
  return typeof usual === "function" ? usual(decided) : usual;
}

type WithDefaults<Name extends FitOptionName> = {
  readonly [N in Name]: Exclude<FitAsked[N], undefined>;
};

/** Returns options of the library that all have a default, whatever else was decided. */
export function withDefaults<Name extends FitOptionName>(
  given: { readonly [N in Name]?: FitAsked[N] },
  names: readonly Name[],
  decided: Decided,
): WithDefaults<Name> {
  const values = names.map((name) => [name, given[name] ?? defaultOf(name, decided)]);
  return Object.fromEntries(values) as WithDefaults<Name>;
}

/**
 * Returns all options as config.json has them: those that were asked for, the others by default.
 */
export function settledOptions(asked: FitAsked): SettledOptions {
  const known: Partial<Record<FitOptionName, OptionValue>> = definedOf(asked);
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

function definedOf(asked: FitAsked): Partial<Record<FitOptionName, OptionValue>> {
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
}
