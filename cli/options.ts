/** Values of options that several commands take, each refused with the rule it breaks. */
import { InvalidArgumentError } from "commander";

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError("It must be a whole number, 0 or more.");
  }
  return value;
}

export function positiveInteger(text: string): number {
  const value = wholeNumber(text);
  if (value < 1) throw new InvalidArgumentError("It must be at least 1.");
  return value;
}

export function workerCount(text: string): number {
  const value = wholeNumber(text);
  if (value > 1024) throw new InvalidArgumentError("It must be at most 1024.");
  return value;
}

/** A file name with one of the endings that say what will be in it. */
export function fileName(...endings: readonly [string, ...string[]]): (text: string) => string {
  return (text) => {
    if (endings.some((ending) => text.toLowerCase().endsWith(ending))) return text;
    throw new InvalidArgumentError(`It must end in ${endings.join(" or ")}.`);
  };
}
