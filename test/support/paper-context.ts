/** Context of the paper's experiments, and the outline of the paper. */
import { svgDocument } from "../../node/figures.js";
import type { ExperimentResult, PaperContext } from "../../paper/experiment.js";
import { simdRunner } from "./inline-runners.js";

/**
 * Returns the context of a quick experiment, with these images for any set; keeps nothing, and fits
 * no models to files.
 */
export async function quickPaperContext(paths: readonly string[]): Promise<PaperContext> {
  return {
    runner: simdRunner,
    document: await svgDocument(),
    signal: new AbortController().signal,
    seed: 1,
    quick: true,
    steps: null,
    part: (_experiment, _key, make) => make(),
    images: () => Promise.resolve(paths),
    fit: () => Promise.reject(new Error("nothing is to be fitted")),
    fitImages: () => Promise.reject(new Error("nothing is to be fitted")),
    progress: () => () => undefined,
  };
}

/** Returns the value of a number by its name. */
export function valueNamed({ numbers }: ExperimentResult, name: string): number {
  const number = numbers.find((each) => each.name === name);
  if (!number) throw new Error(`no ${name}`);
  return number.value;
}

/** Numbers of the paper's equations and sections (arXiv:1511.06281). */
export const paperEquations = ["1", "2", "3", "4", "5", "6", "7"];
export const paperSections = [
  "1",
  "2",
  "3",
  "3.1",
  "3.2",
  "4",
  "4.1",
  "4.2",
  "4.3",
  "5",
  "6",
  "6.1",
  "6.2",
  "6.3",
];
