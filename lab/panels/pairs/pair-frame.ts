/** What is shown of a transform on its way: its contours, what it makes of the pairs, and how good that is. */
import { portableExp } from "../../../src/numbers/exponential.js";
import {
  type Cascade,
  GaussianizeError,
  type Grid,
  type TaskRunner,
  type Transform,
  gaussianize,
  logProb,
  nearestNeighbourInformation,
  negentropyDifference,
  smoothed,
} from "../../../src/index.js";
import { contourPath } from "./contour-path.js";
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

/** Of the estimate of mutual information: more of them, less noise. */
export const neighbours = 8;

/** Null where some pair, or some place that contours might pass, has no density yet: the next frame may have one again. */
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

/** Of the cells: enough for contours that move. */
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
