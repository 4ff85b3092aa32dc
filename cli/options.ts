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

/** An empty name mostly is a variable that a script forgot to set. */
export function inputFile(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("It must be the name of a file.");
}

export function inputFiles(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, inputFile(text)];
}
