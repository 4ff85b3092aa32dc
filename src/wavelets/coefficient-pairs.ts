/**
 * Pairs of coefficients at a fixed offset, for joint densities of neighbours (§4.1): rows
 * (c(x, y), c(x + dx, y + dy)).
 */
import { checkFields, expected } from "../errors.js";
import { type ImageSize, requireCounts } from "../images/grey-image.js";
import { type RandomStream, requireRandom } from "../random/random-stream.js";
import type { Band } from "./filter-bank.js";

interface Offset {
  /** To the right, negative to the left. */
  readonly dx: number;
  /** Down, negative up. */
  readonly dy: number;
  /**
   * Coefficients to skip at each edge, default 0. Transforms are periodic, so these coefficients
   * depend on the opposite edge.
   */
  readonly border?: number;
}

/**
 * With `count`, that many pairs at different random places; a repeated pair would look like a very
 * near neighbour. Without it, all pairs, row by row.
 */
export type CoefficientPairOptions = Offset &
  (
    | { readonly count: number; readonly random: RandomStream }
    | { readonly count?: undefined; readonly random?: undefined }
  );

/** Returns pairs of coefficients, both of them inside the border of the band. */
export function coefficientPairs(band: Band, options: CoefficientPairOptions): Float64Array {
  checkFields("the options", options, ["dx", "dy", "border", "count", "random"]);
  const { count, random } = options;
  const places = placesOf(band, options);
  if (count === undefined) return everyPair(band, places);
  requireCounts({ count });
  requireRandom(random);
  const { left, top, columns, rows, step } = places;
  const all = columns * rows;
  if (count > all) throw expected("count", `be at most the number of places, ${all},`, count);
  const pairs = new Float64Array(2 * count);
  const isTaken = new Uint8Array(all);
  for (let at = 0; at < pairs.length; at += 2) {
    let place = random.integer(all);
    while (isTaken[place] === 1) place = random.integer(all);
    isTaken[place] = 1;
    const row = Math.floor(place / columns);
    copyPair(band, left + place - row * columns, top + row, step, pairs, at);
  }
  return pairs;
}

function everyPair(band: Band, { left, top, columns, rows, step }: Places): Float64Array {
  const pairs = new Float64Array(2 * columns * rows);
  let at = 0;
  for (let y = top; y < top + rows; y++) {
    for (let x = left; x < left + columns; x++, at += 2) copyPair(band, x, y, step, pairs, at);
  }
  return pairs;
}

function copyPair(
  { width, values }: Band,
  x: number,
  y: number,
  step: number,
  pairs: Float64Array,
  at: number,
): void {
  pairs[at] = values[y * width + x];
  pairs[at + 1] = values[y * width + x + step];
}

/** Places of the first coefficient of a pair, and the distance in memory to the second. */
interface Places {
  readonly left: number;
  readonly top: number;
  readonly columns: number;
  readonly rows: number;
  readonly step: number;
}

function placesOf(band: Band, { dx, dy, border = 0 }: Offset): Places {
  const { width, height, values } = band;
  if (values.length !== width * height) {
    throw expected("the band", `hold ${width * height} values (${width}×${height})`, values.length);
  }
  for (const [name, value] of Object.entries({ dx, dy })) {
    if (!Number.isInteger(value)) throw expected(name, "be an integer", value);
  }
  if (!Number.isInteger(border) || border < 0) {
    throw expected("border", "be an integer of at least 0", border);
  }
  if (2 * border >= Math.min(width, height)) {
    throw expected("border", `be less than half of ${width}×${height} coefficients`, border);
  }
  const columns = width - 2 * border - Math.abs(dx);
  const rows = height - 2 * border - Math.abs(dy);
  if (columns < 1 || rows < 1) {
    const inside = `${width - 2 * border}×${height - 2 * border}`;
    throw expected("the offset (dx, dy)", `fit into ${inside} coefficients`, `${dx}, ${dy}`);
  }
  const [left, top] = [border + Math.max(0, -dx), border + Math.max(0, -dy)];
  return { left, top, columns, rows, step: dy * width + dx };
}

export interface NeighbourPairOptions {
  /** Distance along the rows, in coefficients. */
  readonly separation: number;
  /** Number of pairs, all at different random places. */
  readonly count: number;
  readonly random: RandomStream;
}

/** Edges that the four orientations of a steerable pyramid respond to. */
export const orientationNames: readonly string[] = [
  "vertical",
  "diagonal (/)",
  "horizontal",
  "diagonal (\\)",
];

/**
 * Coefficients at each edge that {@link neighbourPairs} skips: they depend on the opposite edge.
 */
export const neighbourBorder = 16;

/** Returns the number of different pairs, 0 if the band is too small. */
export function neighbourPairCount({ width, height }: ImageSize, separation: number): number {
  const columns = width - 2 * neighbourBorder - separation;
  const rows = height - 2 * neighbourBorder;
  return Math.max(0, columns) * Math.max(0, rows);
}

/**
 * Returns the pairs of §4.1, count×2: coefficients of one oriented band at some separation along
 * the rows, scaled to make the variance of the band 1. Images differ in contrast; without the
 * scale, any two coefficients of an image would depend on each other, however far apart.
 */
export function neighbourPairs(band: Band, options: NeighbourPairOptions): Float32Array {
  checkFields("the options", options, ["separation", "count", "random"]);
  const { separation, count, random } = options;
  const offset = { dx: separation, dy: 0, border: neighbourBorder };
  const pairs = coefficientPairs(band, { ...offset, count, random });
  const scale = 1 / deviationOf(band.values);
  return Float32Array.from(pairs, (value) => scale * value);
}

/** Returns the standard deviation of a band, whose mean is 0. */
function deviationOf(values: Float64Array): number {
  let squares = 0;
  for (const value of values) squares += value * value;
  return Math.sqrt(squares / values.length);
}
