/**
 * The pairs of §4.1: coefficients of one oriented band, side by side at some separation, scaled by what makes the variance of the band 1.
 * Images differ in contrast: without the scale, any two coefficients of one image would depend on each other, however far apart.
 */
import { checkFields } from "../errors.js";
import type { RandomStream } from "../random/random-stream.js";
import { coefficientPairs } from "./coefficient-pairs.js";
import type { Band } from "./filter-bank.js";

export interface NeighbourPairOptions {
  /** In coefficients, along the rows. */
  readonly separation: number;
  /** At random places, none of them twice. */
  readonly count: number;
  readonly random: RandomStream;
}

/** Edges that a person sees as these: of the four orientations of a steerable pyramid. */
export const orientationNames: readonly string[] = [
  "vertical",
  "diagonal (/)",
  "horizontal",
  "diagonal (\\)",
];

/** So many coefficients at the edges are in no pair. The transform is periodic: next to an edge it has seen the opposite one. */
export const neighbourBorder = 16;

/** How many different pairs there are; 0 where the band is too small. */
export function neighbourPairCount(
  { width, height }: { readonly width: number; readonly height: number },
  separation: number,
): number {
  const columns = width - 2 * neighbourBorder - separation;
  const rows = height - 2 * neighbourBorder;
  return Math.max(0, columns) * Math.max(0, rows);
}

/** count×2 */
export function neighbourPairs(band: Band, options: NeighbourPairOptions): Float32Array {
  checkFields("the options", options, ["separation", "count", "random"]);
  const { separation, count, random } = options;
  const offset = { dx: separation, dy: 0, border: neighbourBorder };
  const pairs = coefficientPairs(band, { ...offset, count, random });
  const scale = 1 / deviationOf(band.values);
  return Float32Array.from(pairs, (value) => scale * value);
}

/** Bands have mean 0. */
function deviationOf(values: Float64Array): number {
  let squares = 0;
  for (const value of values) squares += value * value;
  return Math.sqrt(squares / values.length);
}
