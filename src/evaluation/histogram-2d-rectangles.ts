/** Cells of a histogram as fewer rectangles, each probable enough. They depend on what is expected, not on what was counted. */
import type { PairCounts } from "./histogram-2d.js";

export interface Bin {
  readonly count: number;
  /** By the density that is compared. */
  readonly probability: number;
  /** By the density that decides what is merged. */
  readonly deciding: number;
}

/** Columns from `left` to before `right`, rows from `bottom` to before `top`. */
interface Rectangle {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

type MassOf = (rectangle: Rectangle) => number;

/**
 * Cuts the square again and again, across the longer side and as near to equal halves of probability as the cells allow,
 * as long as both parts keep `least`: by the probabilities `deciding`, not by those of the density that is compared.
 */
export function mergedRectangles(
  { bins, counts }: PairCounts,
  probabilities: Float64Array,
  deciding: Float64Array,
  least: number,
): Bin[] {
  const massOf = massesOf(deciding, bins);
  const merged: Bin[] = [];
  const waiting: Rectangle[] = [{ left: 0, right: bins, bottom: 0, top: bins }];
  for (let open = waiting.pop(); open; open = waiting.pop()) {
    const parts = partsOf(open, massOf, least);
    if (parts) waiting.push(...parts);
    else {
      const count = sumOver(open, counts, bins);
      merged.push({
        count,
        probability: sumOver(open, probabilities, bins),
        deciding: massOf(open),
      });
    }
  }
  return merged;
}

function partsOf(whole: Rectangle, massOf: MassOf, least: number): Rectangle[] | undefined {
  const { left, right, bottom, top } = whole;
  const acrossColumns = (): Rectangle[] | undefined => {
    const partsAt = (at: number) => [
      { ...whole, right: at },
      { ...whole, left: at },
    ];
    return nearestToHalves(partsAt, left, right, massOf, least);
  };
  const acrossRows = (): Rectangle[] | undefined => {
    const partsAt = (at: number) => [
      { ...whole, top: at },
      { ...whole, bottom: at },
    ];
    return nearestToHalves(partsAt, bottom, top, massOf, least);
  };
  return right - left >= top - bottom
    ? (acrossColumns() ?? acrossRows())
    : (acrossRows() ?? acrossColumns());
}

function nearestToHalves(
  partsAt: (at: number) => Rectangle[],
  from: number,
  to: number,
  massOf: MassOf,
  least: number,
): Rectangle[] | undefined {
  let best: { readonly parts: Rectangle[]; readonly smaller: number } | undefined;
  for (let at = from + 1; at < to; at++) {
    const parts = partsAt(at);
    const smaller = Math.min(...parts.map(massOf));
    if (smaller >= least && smaller > (best?.smaller ?? 0)) best = { parts, smaller };
  }
  return best?.parts;
}

/** Cell by cell: differences of sums would leave 1e-17 where there is nothing, or less than nothing. */
function sumOver({ left, right, bottom, top }: Rectangle, values: Float64Array, bins: number) {
  let sum = 0;
  for (let row = bottom; row < top; row++) {
    for (let column = left; column < right; column++) sum += values[row * bins + column];
  }
  return sum;
}

/** The sum over any rectangle, from sums over those that begin at the lower left corner. */
function massesOf(values: Float64Array, bins: number): MassOf {
  const side = bins + 1;
  const sums = new Float64Array(side * side);
  for (let row = 0; row < bins; row++) {
    let ofRow = 0;
    for (let column = 0; column < bins; column++) {
      ofRow += values[row * bins + column];
      sums[(row + 1) * side + column + 1] = sums[row * side + column + 1] + ofRow;
    }
  }
  return ({ left, right, bottom, top }) =>
    sums[top * side + right] -
    sums[top * side + left] -
    sums[bottom * side + right] +
    sums[bottom * side + left];
}
