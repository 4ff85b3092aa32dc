/**
 * Options that several commands take, and parsers of values: each rejects a wrong value with the
 * rule that it breaks.
 */
import { type Command, InvalidArgumentError } from "commander";

/** Adds --workers and --json, which are the last options of most commands. */
export function addRunOptions(command: Command, json = "print the result as JSON"): Command {
  return command
    .optionsGroup("Run:")
    .option("--workers <n>", "worker threads, 0 to 1024 (default: one per core)", workerCount)
    .option("--json", json);
}

/** Parses digits. The error names the option and adds this rule. */
export function wholeNumber(lowest: number, highest?: number): (text: string) => number {
  const range = highest === undefined ? `of at least ${lowest}` : `from ${lowest} to ${highest}`;
  return (text) => {
    const value = Number(text);
    const isWhole = /^\d+$/.test(text) && Number.isSafeInteger(value);
    if (isWhole && value >= lowest && value <= (highest ?? value)) return value;
    throw new InvalidArgumentError(`It must be a whole number ${range}, in digits.`);
  };
}

const workerCount = wholeNumber(0, 1024);

/** Parses a number above 0 and at most `highest`; `unit` follows the rule in an error. */
export function positiveNumber(highest = Infinity, unit = ""): (text: string) => number {
  const limit = highest === Infinity ? "" : ` and at most ${highest}`;
  return (text) => {
    const value = Number(text);
    if (text.trim() !== "" && value > 0 && value <= highest && value < Infinity) return value;
    throw new InvalidArgumentError(`It must be a number above 0${limit}${unit}.`);
  };
}

/** Parses a word of a list. */
export function oneOf<T extends string>(words: readonly T[]): (text: string) => T {
  return (text) => {
    const found = words.find((word) => word === text);
    if (found !== undefined) return found;
    throw new InvalidArgumentError(`It ${choiceRule(words, text)}.`);
  };
}

/** Returns "must be a, b or c", and suggests the word that the given one is close to. */
export function choiceRule(words: readonly string[], given: string): string {
  const list = [words.slice(0, -1).join(", "), words.at(-1)].filter(Boolean).join(" or ");
  const near = words.find((word) => distance(word, given.toLowerCase()) <= 2);
  return `must be ${list}${near === undefined ? "" : ` (did you mean ${near}?)`}`;
}

/** Edit distance: letters to insert, delete, replace or swap with their neighbour. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(rows[i - 1][j] + 1, row[j - 1] + 1, replaced);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) row[j] = Math.min(row[j], rows[i - 2][j - 2] + 1);
    }
    rows.push(row);
  }
  return rows[a.length][b.length];
}

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Parses 512x384. */
export function imageSize(text: string): ImageSize {
  const sides = /^(\d{1,5})[x×](\d{1,5})$/.exec(text);
  const [width, height] = sides ? [Number(sides[1]), Number(sides[2])] : [0, 0];
  if (width > 0 && height > 0) return { width, height };
  throw new InvalidArgumentError("It must be a width and a height in pixels, such as 512x384.");
}

/** Parses a file name whose ending says what the file will hold. */
export function outputFile(...endings: readonly [string, ...string[]]) {
  return (text: string, before: string | undefined): string => {
    requireOnce(before);
    if (endings.some((ending) => hasEnding(text, ending))) return text;
    throw new InvalidArgumentError(`It must be a file name that ends in ${endings.join(" or ")}.`);
  };
}

/** A second value would silently replace the first. */
function requireOnce(before: string | undefined): void {
  if (before !== undefined) throw new InvalidArgumentError("It must be given once.");
}

export function hasEnding(path: string, ending: string): boolean {
  return path.toLowerCase().endsWith(ending);
}

export function folderName(text: string, before?: string): string {
  requireOnce(before);
  if (text !== "") return text;
  throw new InvalidArgumentError("It must be the name of a folder.");
}

/** An empty name is usually a variable that a script forgot to set. */
export function inputFile(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("It must be the name of a file.");
}

export function inputFiles(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, inputFile(text)];
}
