/** Values of options that several commands take, each refused with the rule it breaks. */
import { InvalidArgumentError } from "commander";

/** `--help` and the sentence of a refusal name the option; this names the rule. */
export function wholeNumber(lowest: number, highest?: number): (text: string) => number {
  const range = highest === undefined ? `of at least ${lowest}` : `from ${lowest} to ${highest}`;
  return (text) => {
    const value = Number(text);
    const isWhole = /^\d+$/.test(text) && Number.isSafeInteger(value);
    if (isWhole && value >= lowest && value <= (highest ?? value)) return value;
    throw new InvalidArgumentError(`It must be a whole number ${range}, in digits.`);
  };
}

/** A number above 0. */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && value > 0 && value < Infinity) return value;
  throw new InvalidArgumentError("It must be a number above 0.");
}

/** A word of a list; a word that is nearly one of them is asked about. */
export function oneOf<T extends string>(words: readonly T[]): (text: string) => T {
  return (text) => {
    const found = words.find((word) => word === text);
    if (found !== undefined) return found;
    const list = [words.slice(0, -1).join(", "), words.at(-1)].filter(Boolean).join(" or ");
    const near = words.find((word) => distance(word, text.toLowerCase()) <= 2);
    const question = near === undefined ? "" : ` (did you mean ${near}?)`;
    throw new InvalidArgumentError(`It must be ${list}${question}.`);
  };
}

/**
 * Letters to insert, delete, replace or swap with their neighbour to get from one word to the
 * other.
 */
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

/** 512x384 */
export function imageSize(text: string): ImageSize {
  const sides = /^(\d{1,5})[x×](\d{1,5})$/.exec(text);
  const [width, height] = sides ? [Number(sides[1]), Number(sides[2])] : [0, 0];
  if (width > 0 && height > 0) return { width, height };
  throw new InvalidArgumentError("It must be a width and a height in pixels, such as 512x384.");
}

export const workerCount = wholeNumber(0, 1024);

/** A file name with one of the endings that say what will be in it. */
export function outputFile(...endings: readonly [string, ...string[]]) {
  return (text: string, before: string | undefined): string => {
    // The second would silently take the place of the first.
    if (before !== undefined) throw new InvalidArgumentError("It must be given once.");
    if (endings.some((ending) => hasEnding(text, ending))) return text;
    throw new InvalidArgumentError(`It must be a file name that ends in ${endings.join(" or ")}.`);
  };
}

export function hasEnding(path: string, ending: string): boolean {
  return path.toLowerCase().endsWith(ending);
}

export function outputFolder(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("It must be the name of a folder.");
}

/** An empty name mostly is a variable that a script forgot to set. */
export function inputFile(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("It must be the name of a file.");
}

export function inputFiles(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, inputFile(text)];
}
