/**
 * The windows of the steerable pyramid over the frequencies of an image.
 *
 *   high(t) = sin(π/2 (t + 1)),  low(t) = cos(π/2 (t + 1))     for −1 ≤ t ≤ 0, constant beyond
 *   angular_b = c cos(θ − πb/N)^(N−1),   c² = 1/N Π_{i<N} 2i/(2i − 1),   so that Σ_b angular_b² = 1
 *
 *   symbol  variable     meaning
 *   t       octave       log2 of the radius ρ, in octaves below the highest frequency along an
 *                        axis, shifted by 1 for each scale
 *   θ       –            direction of the frequency (u, v): no arctangent is needed for
 *                        cos(θ − θ_b) = (u cos θ_b + v sin θ_b) / ρ
 *   N       orientations
 *
 * high and low are piecewise linear between 257 nodes, as in the programs used in the literature
 * (matlabPyrTools, pyrtools); smooth windows would differ by 5e-6. So high² + low² lies between
 * 1 − 9.5e-6 and 1, and the inverse divides by it.
 */
import type { ImageSize } from "../images/grey-image.js";
import { portableLog } from "../numbers/logarithm.js";
import { unitRoot } from "../numbers/unit-root.js";

const nodes = 256;
/** high at the nodes from t = −1 to 0; low is the same read backwards. */
const rise = Float64Array.from({ length: nodes + 1 }, (_, k) => unitRoot(k, 4 * nodes).sine);

/** Frequencies of a half spectrum, relative to the highest of the image: half a cycle per pixel. */
export interface FrequencyGrid {
  /** One value per column. */
  readonly u: Float64Array;
  /** One value per row. */
  readonly v: Float64Array;
}

/** Returns the frequencies of an image that a spectrum of the given size contains. */
export function frequencyGrid({ width, height }: ImageSize, image: ImageSize): FrequencyGrid {
  const columns = Math.floor(width / 2) + 1;
  const u = Float64Array.from({ length: columns }, (_, k) => (2 * k) / image.width);
  const v = Float64Array.from({ length: height }, (_, k) => {
    return (2 * (2 * k < height ? k : k - height)) / image.height;
  });
  return { u, v };
}

export interface RadialWindows {
  readonly high: Float64Array;
  readonly low: Float64Array;
}

/** Returns high(t) and low(t) at each frequency of a grid, t = log2 ρ + shift. */
export function radialWindows({ u, v }: FrequencyGrid, shift: number): RadialWindows {
  const high = new Float64Array(u.length * v.length);
  const low = new Float64Array(high.length);
  // log2 ρ = ½ log2 ρ²
  const octavesPerUnit = 0.5 / Math.LN2;
  for (let row = 0, at = 0; row < v.length; row++) {
    for (let column = 0; column < u.length; column++, at++) {
      const squaredRadius = u[column] * u[column] + v[row] * v[row];
      // The mean of the image has neither a direction nor an octave; it is low.
      const octave =
        squaredRadius > 0 ? portableLog(squaredRadius) * octavesPerUnit + shift : -Infinity;
      const place = Math.min(nodes, Math.max(0, (octave + 1) * nodes));
      const node = Math.min(nodes - 1, Math.floor(place));
      const part = place - node;
      high[at] = rise[node] + part * (rise[node + 1] - rise[node]);
      low[at] = rise[nodes - node] + part * (rise[nodes - node - 1] - rise[nodes - node]);
    }
  }
  return { high, low };
}

/** Returns angular_b times a radial window. */
export function orientedWindow(
  { u, v }: FrequencyGrid,
  radial: Float64Array,
  orientations: number,
  orientation: number,
): Float64Array {
  const window = new Float64Array(radial.length);
  const { cosine, sine } = unitRoot(orientation, 2 * orientations);
  const gain = angularGain(orientations);
  for (let row = 0, at = 0; row < v.length; row++) {
    for (let column = 0; column < u.length; column++, at++) {
      if (radial[at] === 0) continue;
      const radius = Math.sqrt(u[column] * u[column] + v[row] * v[row]);
      const along = (u[column] * cosine + v[row] * sine) / radius;
      let value = gain * radial[at];
      for (let factor = 1; factor < orientations; factor++) value *= along;
      window[at] = value;
    }
  }
  return window;
}

/** Returns c. */
function angularGain(orientations: number): number {
  let squared = 1 / orientations;
  for (let i = 1; i < orientations; i++) squared *= (2 * i) / (2 * i - 1);
  return Math.sqrt(squared);
}
