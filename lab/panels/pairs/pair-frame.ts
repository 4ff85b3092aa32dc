/** A frame of a fit: contours of the density, transformed pairs, parameters and measures. */
import { gaussianize } from "../../../src/density/induced-density.js";
import { GaussianizeError } from "../../../src/errors.js";
import { smoothed } from "../../../src/evaluation/histogram-2d.js";
import { nearestNeighbourInformation } from "../../../src/evaluation/mutual-information/nearest-neighbour-information.js";
import { negentropyDifference } from "../../../src/evaluation/negentropy-difference.js";
import type { TaskRunner } from "../../../src/parallel/job.js";
import { startingGdn } from "../../../src/transforms/gdn-start.js";
import { namedModel } from "../../../src/transforms/model-names.js";
import { parametersOf } from "../../../src/transforms/parameters.js";
import type { Cascade } from "../../../src/transforms/transform.js";
import { contourPath, densityAtCentres } from "../../plane/plane-grid.js";
import type { PairData } from "./pair-data.js";
import type { PairModel } from "./pair-models.js";

/** Measures use the shown pairs. */
export interface PairFrame {
  /** Number of steps so far. */
  readonly step: number;
  /** The pairs after the transform, count×2. */
  readonly y: Float32Array;
  /** The `d` of an SVG path. */
  readonly contours: string;
  /** ΔJ, paper eq. (4). */
  readonly negentropyInNats: number;
  readonly informationInBits: number;
  readonly parameters: PairParameters;
  readonly transform: Cascade;
}

/** Neighbours for the estimate of mutual information: more of them give less noise. */
export const neighbours = 8;

/** Returns null if a pair or a point of the grid has no density at this step. */
export async function pairFrame(
  runner: TaskRunner,
  { facts: { shown }, levels, smoothing }: PairData,
  step: number,
  transform: Cascade,
): Promise<PairFrame | null> {
  try {
    const y = Float32Array.from((await gaussianize(runner, transform, shown)).y);
    const density = await densityAtCentres(runner, transform);
    return {
      step,
      y,
      contours: contourPath(smoothed(density, smoothing), levels),
      negentropyInNats: (await negentropyDifference(runner, transform, shown)).inNats,
      informationInBits: nearestNeighbourInformation(y, { neighbours }).inBits,
      parameters: pairParameters(transform),
      transform,
    };
  } catch (error) {
    if (error instanceof GaussianizeError) return null;
    throw error;
  }
}

/** Parameters of the GDN by name: H, alpha … */
export type PairParameters = Readonly<Record<string, Float64Array>>;

export function pairParameters(transform: Cascade): PairParameters {
  // The first stage standardizes.
  const [, gdn] = parametersOf(transform);
  return Object.fromEntries(
    Object.entries(gdn).map(([group, values]) => [group, Float64Array.from(values)]),
  );
}

/** Returns the number of values of each parameter, known before a fit. */
export function parameterCounts({ model }: PairModel): Readonly<Record<string, number>> {
  const { structure } = namedModel(model);
  const [gdn] = parametersOf(startingGdn({ structure, dimension: 2, H: [1, 0, 0, 1] }));
  return Object.fromEntries(Object.entries(gdn).map(([group, { length }]) => [group, length]));
}
