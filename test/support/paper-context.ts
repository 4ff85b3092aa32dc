/** Context of the paper's experiments, and the outline of the paper. */
import { svgDocument } from "../../node/figures.js";
import type { ExperimentResult, PaperContext, PaperFit } from "../../paper/experiment.js";
import { symmetricMixture } from "../../src/density/mixtures/mixture.js";
import { type ImageReading, aboutReading } from "../../src/patches/image-reading.js";
import { patchDimension } from "../../src/patches/patch-layout.js";
import { affine } from "../../src/transforms/affine.js";
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

interface FittedGaussian extends Partial<Pick<PaperFit, "images" | "heldOut">> {
  readonly reading: ImageReading;
  /** y = scale · x */
  readonly scale: number;
  readonly isSymmetric: boolean;
}

/** Returns a fit that took no time: a Gaussian, or a symmetric mixture of its poses. */
export function fittedGaussian(title: string, fitted: FittedGaussian): PaperFit {
  const { reading, scale, isSymmetric, images = [], heldOut = [] } = fitted;
  const { size: side, removeMean } = reading.layout;
  const dimension = patchDimension(reading.layout);
  const density = affine({ dimension, scale: new Float64Array(dimension).fill(scale) });
  const about = aboutReading(reading);
  return {
    title,
    path: "none",
    dataHash: "sha256:0",
    command: "none",
    steps: 1,
    seconds: 60,
    images,
    heldOut,
    curve: { x: [], y: [] },
    model: isSymmetric
      ? { transform: symmetricMixture({ side, removeMean, density }), about }
      : { transform: density, about },
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
