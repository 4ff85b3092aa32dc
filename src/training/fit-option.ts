/** The declaration of an option of a fit, and the kinds of values that options have. */
import type { ProtocolName } from "../patches/image-reading.js";
import type { ModelName } from "../transforms/model-names.js";
import type { CascadePreset } from "./cascade-geometry.js";

export type OptionValue = string | number | boolean | null;

export interface FitOption<T = OptionValue> {
  /** As the command line has it: "--rate <x>". */
  readonly flag: string;
  readonly values: Values<T>;
  /** A value, or a function of other options; without it, or undefined: the option is not set. */
  readonly default?: T | ((decided: Decided) => T | undefined);
  /** The value that config.json means by leaving the option out. */
  readonly absent?: T;
  /** Changes a value that was asked for into the one that counts. */
  readonly settled?: (value: T, decided: Decided) => T;
  /** What it is for; default: for fits of patches and of whole images. */
  readonly for?: "patches" | "cascades";
  readonly group: "images" | "model" | "training" | "run";
  /** A line of `--help`, without the default. */
  readonly help: string;
  /** The default in `--help`, where it is not one value. */
  readonly defaultText?: string;
  /** So many units of the flag are one of the option; default 1. */
  readonly flagUnits?: number;
  /** The field of the lab; default: none. */
  readonly form?: OptionForm<T>;
}

/** The field of an option in a form, with what a page has time for in place of its range. */
export interface OptionForm<T = OptionValue> {
  readonly label: string;
  /** Its name in the address of the page; default that of the option. */
  readonly name?: string;
  /** The default in the form, where it is not that of the command. */
  readonly usual?: T;
  readonly least?: number;
  readonly most?: number;
  /** Between two numbers; default 1. */
  readonly step?: number;
  /** Values that can be chosen; default: all choices of the option, or any number. */
  readonly choices?: readonly T[];
  readonly choiceLabel?: (value: T) => string;
  /** Whether it is among those that are seen at once. */
  readonly isMain?: boolean;
}

/** Options that defaults of others depend on, as far as they are known. */
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

/** The values that an option may have: a rule in words, and the check of it. */
export interface Values<T> {
  /** Completes "must": "be a whole number from 1 to 12". */
  readonly rule: string;
  readonly isRight: (value: unknown) => value is T;
  readonly kind: "choice" | "whole" | "number" | "truth" | "text";
  readonly choices?: readonly (T & string)[];
  /** The smallest number; that of the kind "number" may itself be excluded. */
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

/** Null says that the option is not set. */
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

/** Words that are not empty: an empty one mostly is a variable that a script forgot to set. */
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
