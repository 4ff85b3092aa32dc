/**
 * Position, frequency and orientation of filters: the rows of H as a physiologist would describe
 * them. A filter h has weights h_rc over rows r (downwards) and columns c of size×size pixels, and
 * the power spectrum P of patch-spectrum.ts.
 *
 *   centre       (r̄, c̄) = Σ h² (r, c) / Σ h²
 *   radius       (Σ h² ((r − r̄)² + (c − c̄)²) / Σ h²)^½
 *   frequency    |f*|, f* = argmax P(f): frequency of the grating with the strongest response
 *   orientation  θ of −Σ P(f) e^(2iφ) / Σ P(f) = R e^(2iθ), φ the direction of f. Doubled angles
 *                because f and −f are the same grating; the minus turns the normal of the grating
 *                into its stripes
 *   bandwidth    (−½ log R)^½: the standard deviation of φ if it is normal, since then
 *                R = e^(−2 variance)
 *
 * None of them depends on the sign or the scale of h.
 */
import { expected } from "../errors.js";
import { portableLog2 } from "../numbers/extended-logarithm.js";
import { type OrientationTuning, orientationTuning, preferredFrequency } from "./filter-tuning.js";
import { PatchSpectrum } from "./patch-spectrum.js";

export interface FilterShape extends OrientationTuning {
  /** Centroid of the squared weights in pixels; 0 is the centre of the first row or column. */
  readonly row: number;
  readonly column: number;
  /** Root mean squared distance from the centre, in pixels. */
  readonly radius: number;
  /**
   * Whether the filter responds most to a constant, or to less than half a period per patch; or is
   * the only one of size² filters that responds to a constant. It then has no orientation.
   */
  readonly isDc: boolean;
  /**
   * Preferred spatial frequency in cycles per pixel: up to ½ along rows and columns, √½ along
   * diagonals; 0 if isDc.
   */
  readonly frequency: number;
}

/**
 * Returns the shapes of `filters`, rows of size² weights: H itself, or `filtersOnPatches` of it for
 * patches without their mean.
 */
export function filterShapes(filters: ArrayLike<number>, size: number): FilterShape[] {
  const spectrum = new PatchSpectrum(size);
  const area = size * size;
  if (filters.length === 0 || filters.length % area !== 0) {
    throw expected("filters", `hold a whole number of filters of ${area} values`, filters.length);
  }
  const keeperOfMean = onlyOneOfConstants(filters, size);
  return Array.from({ length: filters.length / area }, (_, i) => {
    const place = placeOf(filters, i * area, size);
    const frequency = preferredFrequency(spectrum.analyse(filters, i * area));
    if (i !== keeperOfMean && frequency >= 1 / (2 * size)) {
      return { ...place, isDc: false, frequency, ...orientationTuning(spectrum) };
    }
    const none = { frequency: 0, orientation: NaN, selectivity: 0, bandwidth: Infinity };
    return { ...place, isDc: true, ...none };
  });
}

/**
 * Returns the indices of filters in an order for mosaics: DC first, then octaves of frequency from
 * coarse to fine (centred at …, ⅛, ¼, ½ cycles per pixel), in each octave by orientation:
 * horizontal, rising, vertical, falling.
 */
export function filterOrder(shapes: readonly FilterShape[]): number[] {
  return shapes
    .map((_, i) => i)
    .sort((a, b) => {
      const [one, other] = [shapes[a], shapes[b]];
      return octaveOf(one) - octaveOf(other) || angleOf(one) - angleOf(other) || a - b;
    });
}

/** Cuts the circle of orientations at −π/8: many filters are nearly horizontal, few are there. */
function angleOf({ isDc, orientation }: FilterShape): number {
  return isDc ? 0 : (orientation + Math.PI / 8) % Math.PI;
}

/** Diagonals reach √½, half an octave above ½; they belong to the octave of ½. */
function octaveOf({ isDc, frequency }: FilterShape): number {
  return isDc ? -Number.MAX_VALUE : Math.min(-1, Math.round(portableLog2(frequency)));
}

/** Share of the squared responses to a constant that the DC filter must have. */
const nearlyAll = 0.99;

/**
 * Returns the index of the only filter that responds to a constant, or −1. A fit leaves the mean of
 * patches to one filter d: H·1 = c·e_d, so that the constant is column d of H⁻¹, its basis
 * function. The filter itself need not look constant: it has noise in the high frequencies that
 * photographs lack.
 */
function onlyOneOfConstants(filters: ArrayLike<number>, size: number): number {
  const area = size * size;
  // Without a full basis, no filter may respond to a constant.
  if (filters.length !== area * area) return -1;
  const answers = new Float64Array(area);
  for (let i = 0; i < area; i++) {
    let [sum, squares] = [0, 0];
    for (let k = i * area; k < (i + 1) * area; k++) {
      sum += filters[k];
      squares += filters[k] * filters[k];
    }
    answers[i] = (sum * sum) / squares;
  }
  const total = answers.reduce((sum, answer) => sum + answer, 0);
  return answers.findIndex((answer) => answer > nearlyAll * total);
}

function placeOf(
  filters: ArrayLike<number>,
  at: number,
  size: number,
): Pick<FilterShape, "row" | "column" | "radius"> {
  let [total, rows, columns, squares] = [0, 0, 0, 0];
  for (let k = 0; k < size * size; k++) {
    const [r, c] = [Math.floor(k / size), k % size];
    const weight = filters[at + k] * filters[at + k];
    total += weight;
    rows += weight * r;
    columns += weight * c;
    squares += weight * (r * r + c * c);
  }
  if (!(total > 0 && total < Infinity)) {
    const rule = "have finite weights that are not all 0";
    throw expected(`filter ${at / (size * size)}`, rule, `a sum of squares of ${total}`);
  }
  const [row, column] = [rows / total, columns / total];
  // Rounding may make the difference negative if one pixel has all the weight.
  const variance = Math.max(0, squares / total - row * row - column * column);
  return { row, column, radius: Math.sqrt(variance) };
}
