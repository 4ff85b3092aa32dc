/**
 * Two columns of numbers from a text: with commas, semicolons or tabs between them, and a line of
 * names above or not.
 */
import { GaussianizeError } from "../../../src/errors.js";
import { thousands } from "../../../src/numbers/format-number.js";

export interface CsvPairs {
  /** count×2 */
  readonly pairs: Float64Array;
  /** Names of the columns; null where there was no line of names. */
  readonly names: readonly [string, string] | null;
}

const fewest = 100;
const most = 1_000_000;
/** Squares of larger ones would be too large for what is computed from them. */
const largest = 1e15;
const separators = ["\t", ";", ","];
const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const longestName = 40;

export function csvPairs(text: string): CsvPairs {
  const values: number[] = [];
  let names: [string, string] | null = null;
  let separator: string | undefined;
  forEachLine(text, (line, number) => {
    separator ??= separators.find((sign) => line.includes(sign));
    if (separator === undefined) throw notAPair(line, number);
    const fields = line.split(separator).map(unquoted);
    const isPair = fields.length === 2 && fields.every((field) => decimal.test(field));
    if (isPair) values.push(numberOf(fields[0], number), numberOf(fields[1], number));
    else if (values.length === 0 && names === null && isHeader(fields)) names = namesOf(fields);
    else throw notAPair(line, number);
    if (values.length > 2 * most) {
      throw new GaussianizeError(
        "unsupported-file",
        `Expected at most ${thousands(most)} rows but line ${number} is one more.`,
      );
    }
  });
  const count = values.length / 2;
  if (count < fewest) {
    throw new GaussianizeError(
      "unsupported-file",
      `Expected the file to hold at least ${fewest} rows of numbers but received ${count}.`,
    );
  }
  return { pairs: Float64Array.from(values), names };
}

/** Visits lines that are not empty, without their ends; numbered from 1. */
function forEachLine(text: string, visit: (line: string, number: number) => void): void {
  // A byte order mark is no part of the first name.
  let start = text.startsWith("\uFEFF") ? 1 : 0;
  for (let number = 1; start < text.length; number++) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end < 0 ? text.length : end).replace(/\r$/, "");
    if (line.trim() !== "") visit(line, number);
    if (end < 0) return;
    start = end + 1;
  }
}

function unquoted(field: string): string {
  const trimmed = field.trim();
  const isQuoted = trimmed.length > 1 && trimmed.startsWith('"') && trimmed.endsWith('"');
  return isQuoted ? trimmed.slice(1, -1).trim() : trimmed;
}

function numberOf(field: string, line: number): number {
  const value = Number(field);
  if (Math.abs(value) <= largest) return value;
  throw new GaussianizeError(
    "unsupported-file",
    `Expected the numbers of line ${line} to be at most 1e15 but received ${field.slice(0, longestName)}.`,
  );
}

/** Two names: neither of them a number, which is more likely a damaged row. */
function isHeader(fields: readonly string[]): boolean {
  return fields.length === 2 && fields.every((field) => field !== "" && !/^[+-]?[\d.]/.test(field));
}

function namesOf([first, second]: readonly string[]): [string, string] {
  return [first.slice(0, longestName), second.slice(0, longestName)];
}

function notAPair(line: string, number: number): GaussianizeError {
  const shown = JSON.stringify(line.slice(0, longestName));
  return new GaussianizeError(
    "unsupported-file",
    `Expected line ${number} to be two numbers with a decimal point, and a comma, a semicolon or a tab between them, but received ${shown}.`,
  );
}
