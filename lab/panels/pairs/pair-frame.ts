/**
 * A frame of a fit: the contours of its transform, the transformed pairs, and figures of both.
 */
import { gaussianize, logProb } from "../../../src/density/induced-density.js";
import { GaussianizeError } from "../../../src/errors.js";
import { type Grid, smoothed } from "../../../src/evaluation/histogram-2d.js";
import { nearestNeighbourInformation } from "../../../src/evaluation/mutual-information/nearest-neighbour-information.js";
import { negentropyDifference } from "../../../src/evaluation/negentropy-difference.js";
import { contourLines } from "../../../src/figures/iso-lines.js";
import { portableExp } from "../../../src/numbers/exponential.js";
import type { TaskRunner } from "../../../src/parallel/job.js";
import type { Cascade, Transform } from "../../../src/transforms/transform.js";
import { type PairData, square } from "./pair-data.js";
import { type PairParameters, pairParameters } from "./pair-parameters.js";

/** All of it by the shown pairs. */
export interface PairFrame {
  /** Steps taken. */
  readonly step: number;
  /** The pairs after the transform, count×2. */
  readonly y: Float32Array;
  /** The `d` of an SVG path. */
  readonly contours: string;
  /** ΔJ, paper eq. (4). */
  readonly negentropyInNats: number;
  readonly informationInBits: number;
  readonly parameters: PairParameters;
}

/** Neighbours for the estimate of mutual information: with more of them, there is less noise. */
export const neighbours = 8;

/**
 * Null where some pair, or some place that contours might pass, has no density yet: the next frame
 * may have one again.
 */
export async function pairFrame(
  runner: TaskRunner,
  { shown, levels, smoothing }: PairData,
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
    };
  } catch (error) {
    if (error instanceof GaussianizeError) return null;
    throw error;
  }
}

/** Evaluates the density at the centres of cells: enough for contours that move. */
async function densityAtCentres(runner: TaskRunner, transform: Transform): Promise<Grid> {
  const { bins, from, to } = square;
  const places = new Float64Array(2 * bins * bins);
  const along = (k: number): number => from + ((to - from) * (k + 0.5)) / bins;
  for (let cell = 0; cell < bins * bins; cell++) {
    places[2 * cell] = along(cell % bins);
    places[2 * cell + 1] = along(Math.floor(cell / bins));
  }
  const values = (await logProb(runner, transform, places)).map(portableExp);
  return { width: bins, height: bins, from, to, values };
}

/** Returns contour lines as the `d` of an SVG path, in the units of the grid, upwards being −y. */
export function contourPath(grid: Grid, levels: readonly number[]): string {
  return contourLines(grid, levels)
    .map((line) => line.map(([x, y]) => `${rounded(x)},${rounded(-y)}`))
    .map((places) => `M${places.join("L")}`)
    .join("");
}

/** A thousandth of a standard deviation is less than a pixel. */
function rounded(value: number): number {
  return Math.round(1000 * value) / 1000;
}
