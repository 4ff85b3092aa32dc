/** The gratings that a filter responds to, from its power spectrum P (see filter-shapes.ts). */
import { portableAtan2 } from "../numbers/arctangent.js";
import { portableHypot } from "../numbers/hypotenuse.js";
import { portableLog } from "../numbers/logarithm.js";
import type { PatchSpectrum } from "./patch-spectrum.js";

/** Orientation of a filter; NaN, 0 and Infinity if it responds most to a constant. */
export interface OrientationTuning {
  /**
   * Direction of the stripes, anticlockwise, 0 ≤ θ < π: 0 for horizontal stripes, π/4 for stripes
   * that rise to the right, π/2 for vertical ones.
   */
  readonly orientation: number;
  /** R, from 0 (all orientations equal, or two at right angles) to 1 (an infinite grating). */
  readonly selectivity: number;
  /** Circular standard deviation of the orientation in radians; Infinity if selectivity is 0. */
  readonly bandwidth: number;
}

/** Below this selectivity, the orientation comes from noise or from a plaid. */
export const leastSelectivity = 0.3;

/** Relative tolerance for power: a flat spectrum must not get a peak from rounding alone. */
const roundingOfPower = 1e-9;

/** |f*| in cycles per pixel: the largest sample of P, refined to the peak between samples. */
export function preferredFrequency(spectrum: PatchSpectrum): number {
  const period = spectrum.period;
  let [best, peakU, peakV] = [spectrum.power(0, 0) * (1 + roundingOfPower), 0, 0];
  for (let u = 0; u <= period / 2; u++) {
    for (let v = -period / 2; v < period / 2; v++) {
      const power = spectrum.power(u, v);
      if (power > best) [best, peakU, peakV] = [power, u, v];
    }
  }
  const [du, dv] = peakOffset((a, b) => portableLog(spectrum.power(peakU + a, peakV + b)));
  return (
    portableHypot(withinNyquist(peakU + du, period), withinNyquist(peakV + dv, period)) / period
  );
}

/** Beyond ½ cycle per pixel, u is an alias of M − u. */
function withinNyquist(u: number, period: number): number {
  return Math.min(Math.abs(u), period - Math.abs(u));
}

/**
 * Top of the paraboloid through the 3×3 values around the largest sample: exact for log P of a
 * Gabor, whose P is normal. With gradient g and second derivatives S from central differences it is
 * −S⁻¹ g.
 */
function peakOffset(value: (a: number, b: number) => number): [number, number] {
  const middle = value(0, 0);
  const [left, right, above, below] = [value(-1, 0), value(1, 0), value(0, -1), value(0, 1)];
  const [gu, gv] = [(right - left) / 2, (below - above) / 2];
  const [suu, svv] = [left + right - 2 * middle, above + below - 2 * middle];
  const suv = (value(1, 1) + value(-1, -1) - value(1, -1) - value(-1, 1)) / 4;
  const determinant = suu * svv - suv * suv;
  // No top: a ridge, or a flat spectrum.
  if (!(determinant > roundingOfPower && suu < 0)) return [0, 0];
  const du = (suv * gv - svv * gu) / determinant;
  const dv = (suv * gu - suu * gv) / determinant;
  // The largest sample is nearest to the top: a longer step means that the paraboloid does not fit.
  return portableHypot(du, dv) <= 1 ? [du, dv] : [0, 0];
}

/** Mean of the doubled angles over the half plane u ≥ 0; the other half is its mirror image. */
export function orientationTuning(spectrum: PatchSpectrum): OrientationTuning {
  const half = spectrum.period / 2;
  let [cosines, sines, total] = [0, 0, 0];
  for (let u = 0; u <= half; u++) {
    for (let v = -half; v <= half; v++) {
      if (u === 0 && v === 0) continue;
      // Frequencies on an edge of the half plane occur twice: each counts half.
      const share = (u === 0 || u === half ? 0.5 : 1) * (Math.abs(v) === half ? 0.5 : 1);
      const power = share * spectrum.power(u, v);
      // cos 2φ and sin 2φ of f = (u, −v): rows are counted downwards, angles anticlockwise.
      const square = u * u + v * v;
      cosines += (power * (u * u - v * v)) / square;
      sines -= (power * 2 * u * v) / square;
      total += power;
    }
  }
  const selectivity = portableHypot(cosines, sines) / total;
  const angle = portableAtan2(-sines, -cosines) / 2;
  return {
    // An angle just below 0 plus π rounds to π, which is 0.
    orientation: (angle < 0 ? angle + Math.PI : angle) % Math.PI,
    selectivity,
    bandwidth: Math.sqrt(-portableLog(selectivity) / 2),
  };
}
