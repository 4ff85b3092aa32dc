/** The declaration of a fit option, and the kinds of values of options. */
import type { ProtocolName } from "../patches/image-reading.js";
import type { ModelName } from "../transforms/model-names.js";
import type { CascadePreset } from "./cascade-geometry.js";

export type OptionValue = string | number | boolean | null;

export interface FitOption<T = OptionValue> {
  /** Flag of the command line: "--rate <x>". */
  readonly flag: string;
  readonly values: Values<T>;
  /** A value, or a function of other options; undefined if the option is not set. */
  readonly default?: T | ((decided: Decided) => T | undefined);
  /** Value that config.json omits. */
  readonly absent?: T;
  /** Adjusts a value to other options. */
  readonly settled?: (value: T, decided: Decided) => T;
  /** Kind of fit with this option; default: both. */
  readonly for?: "patches" | "cascades";
  readonly group: "images" | "model" | "training" | "run";
  /** Line of `--help`, without the default. */
  readonly help: string;
  /** Default in `--help`, if it is not a single value. */
  readonly defaultText?: string;
  /** Units of the flag per unit of the option; default 1. */
  readonly flagUnits?: number;
  /** Field in the lab; default none. */
  readonly form?: OptionForm<T>;
}

/** Field of an option in a form, whose range is limited to what is fast in a page. */
export interface OptionForm<T = OptionValue> {
  readonly label: string;
  /** Name in the address of the page; default: name of the option. */
  readonly name?: string;
  /** Default in the form, if the command has another. */
  readonly usual?: T;
  readonly least?: number;
  readonly most?: number;
  /** Distance between two values; default 1. */
  readonly step?: number;
  /** Offered values; default: all choices of the option, or any number. */
  readonly choices?: readonly T[];
  readonly choiceLabel?: (value: T) => string;
  /** Whether the field is visible at first. */
  readonly isMain?: boolean;
}

/** Options that defaults of others depend on. */
export interface Decided {
  readonly model?: ModelName | undefined;
  readonly layers?: number | undefined;
  readonly cascade?: CascadePreset | undefined;
  readonly stages?: number | undefined;
  readonly protocol?: ProtocolName | null | undefined;
  readonly patch?: number | undefined;
  readonly removeMean?: boolean | undefined;
  readonly noise?: boolean | undefined;
  readonly noiseLevel?: number | undefined;
  readonly poolRank?: number | undefined;
}

/** Values that an option may have: a rule in words, and its check. */
export interface Values<T> {
  /** Completes "must": "be a whole number from 1 to 12". */
  readonly rule: string;
  readonly isRight: (value: unknown) => value is T;
  readonly kind: "choice" | "whole" | "number" | "truth" | "text";
  readonly choices?: readonly (T & string)[];
  /** Smallest number, which the kind "number" may exclude. */
  readonly least?: number;
  readonly most?: number;
}

export function oneOf<T extends string>(choices: readonly T[]): Values<T> {
  return {
    kind: "choice",
    rule: `be one of ${choices.join(", ")}`,
    isRight: (value): value is T => choices.some((choice) => choice === value),
    choices,
  };
}

/** Also allows null, for an option that is not set. */
export function orNull<T extends string>(values: Values<T>): Values<T | null> {
  return {
    kind: values.kind,
    rule: `${values.rule}, or null`,
    isRight: (value): value is T | null => value === null || values.isRight(value),
    ...(values.choices && { choices: values.choices }),
  };
}

/** Whole numbers in a range that includes its ends. */
export function whole(least: number, most?: number): Values<number> {
  const range = most === undefined ? `of at least ${least}` : `from ${least} to ${most}`;
  const highest = most ?? Number.MAX_SAFE_INTEGER;
  return {
    kind: "whole",
    rule: `be a whole number ${range}`,
    isRight: (value): value is number =>
      Number.isSafeInteger(value) && isBetween(value, least, highest),
    least,
    ...(most !== undefined && { most }),
  };
}

/** Numbers in a range that includes its ends. */
export function within(least: number, most: number): Values<number> {
  return {
    kind: "number",
    rule: `be a number from ${least} to ${most}`,
    isRight: (value): value is number => isBetween(value, least, most),
    least,
    most,
  };
}

/** Numbers above a limit. */
export function above(limit: number, most?: number): Values<number> {
  return {
    kind: "number",
    rule: `be a number above ${limit}${most === undefined ? "" : `, at most ${most}`}`,
    isRight: (value): value is number =>
      isBetween(value, limit, most ?? Number.MAX_VALUE) && value !== limit,
    ...(most !== undefined && { most }),
  };
}

export const truth: Values<boolean> = {
  kind: "truth",
  rule: "be true or false",
  isRight: (value) => typeof value === "boolean",
};

/** Text that is not empty: an empty one usually is a variable that a script forgot to set. */
export function text(rule: string): Values<string> {
  return {
    kind: "text",
    rule,
    isRight: (value): value is string => typeof value === "string" && value !== "",
  };
}

function isBetween(value: unknown, least: number, most: number): value is number {
  return typeof value === "number" && value >= least && value <= most;
}
