/** Reads two columns of numbers, separated by commas, semicolons or tabs, with or without names. */
import { GaussianizeError } from "../../../src/errors.js";
import { thousands } from "../../../src/numbers/format-number.js";

export interface CsvPairs {
  /** count×2 */
  readonly pairs: Float64Array;
  /** Names of the columns; null if the file has no header. */
  readonly names: readonly [string, string] | null;
}

const fewest = 100;
const most = 1_000_000;
/** Largest magnitude whose squares can still be summed. */
const largest = 1e15;
const separators = ["\t", ";", ","];
const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const longestName = 40;

/** Reads the pairs of a file; errors begin with its name. */
export async function csvPairsOf(file: File): Promise<CsvPairs> {
  const text = await file.text();
  try {
    return csvPairs(text);
  } catch (error) {
    if (!(error instanceof GaussianizeError)) throw error;
    throw new GaussianizeError(error.code, `${file.name}: ${error.message}`, { cause: error });
  }
}

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
    else if (values.length === 0 && names === null && isHeader(fields)) {
      names = [fields[0].slice(0, longestName), fields[1].slice(0, longestName)];
    } else throw notAPair(line, number);
    if (values.length > 2 * most) {
      throw unsupported(
        `Expected at most ${thousands(most)} rows, but line ${number} exceeds this.`,
      );
    }
  });
  const count = values.length / 2;
  if (count < fewest) {
    throw unsupported(`Expected at least ${fewest} rows of numbers but received ${count}.`);
  }
  return { pairs: Float64Array.from(values), names };
}

/** Visits non-empty lines without their line ends, numbered from 1. */
function forEachLine(text: string, visit: (line: string, number: number) => void): void {
  // Skips a byte order mark.
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
  const shown = field.slice(0, longestName);
  throw unsupported(`Expected numbers up to 1e15 on line ${line} but received ${shown}.`);
}

/** Two names, neither starting like a number: that would rather be a damaged row. */
function isHeader(fields: readonly string[]): boolean {
  return fields.length === 2 && fields.every((field) => field !== "" && !/^[+-]?[\d.]/.test(field));
}

function notAPair(line: string, number: number): GaussianizeError {
  const shown = JSON.stringify(line.slice(0, longestName));
  return unsupported(
    `Expected two numbers on line ${number}, separated by a comma, semicolon or tab, with a decimal point, but received ${shown}.`,
  );
}

function unsupported(sentence: string): GaussianizeError {
  return new GaussianizeError("unsupported-file", sentence);
}
