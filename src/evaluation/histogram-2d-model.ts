import { expected } from "../errors.js";
import { portableExp } from "../numbers/exponential.js";
import { binEdge } from "./histogram.js";
import { type Grid, type Histogram2dOptions, requireSquare } from "./histogram-2d.js";

/** Returns log p(x) in nats for each row of a count×2 batch. */
export type LogDensities = (points: Float64Array) => ArrayLike<number> | Promise<ArrayLike<number>>;

/** Nodes and weights of three-point Gauss–Legendre quadrature on [−1, 1]; exact to degree five. */
const nodes = [-Math.sqrt(3 / 5), 0, Math.sqrt(3 / 5)];
const weights = [5 / 18, 8 / 18, 5 / 18];
const pointsPerBin = nodes.length * nodes.length;
/** Most points in a batch, unless one row has more. */
const mostPoints = 1 << 16;

/**
 * The mean of a density over each bin of a histogram, the quantity that the histogram estimates:
 *
 *   p̄_k = Σ_ab w_a w_b p(x_ka, y_kb) ≈ P(bin k) / area
 *
 *   symbol      meaning
 *   x_ka, y_kb  3×3 points of bin k (Gauss–Legendre)
 *   w           their weights, with sum 1
 */
export async function densityOnGrid(
  logDensities: LogDensities,
  options: Histogram2dOptions,
): Promise<Grid & { readonly values: Float64Array }> {
  requireSquare(options);
  const { bins, from, to } = options;
  const places = placesOf({ bins, from, to });
  const values = new Float64Array(bins * bins);
  const rowsAtOnce = Math.max(1, Math.floor(mostPoints / (bins * pointsPerBin)));
  for (let first = 0; first < bins; first += rowsAtOnce) {
    const end = Math.min(bins, first + rowsAtOnce);
    const points = pointsOfRows(places, bins, first, end);
    const logs = await logDensities(points);
    const count = points.length / 2;
    if (logs.length !== count) throw expected("log densities", `hold ${count} values`, logs.length);
    values.set(meansOf(logs), first * bins);
  }
  return { width: bins, height: bins, from, to, values };
}

/** Coordinates of the three nodes in each bin, the same on both axes. */
function placesOf(options: Histogram2dOptions): Float64Array {
  return Float64Array.from({ length: nodes.length * options.bins }, (_, k) => {
    const bin = Math.floor(k / nodes.length);
    const [low, high] = [binEdge(options, bin), binEdge(options, bin + 1)];
    return (low + high + nodes[k % nodes.length] * (high - low)) / 2;
  });
}

/** The points of some rows, bin by bin. */
function pointsOfRows(
  places: Float64Array,
  bins: number,
  first: number,
  end: number,
): Float64Array {
  const points = new Float64Array(2 * pointsPerBin * bins * (end - first));
  let at = 0;
  for (let row = first; row < end; row++) {
    for (let column = 0; column < bins; column++) {
      for (let k = 0; k < pointsPerBin; k++) {
        points[at++] = places[nodes.length * column + (k % nodes.length)];
        points[at++] = places[nodes.length * row + Math.floor(k / nodes.length)];
      }
    }
  }
  return points;
}

function meansOf(logs: ArrayLike<number>): Float64Array {
  const means = new Float64Array(logs.length / pointsPerBin);
  for (let i = 0; i < logs.length; i++) {
    if (Number.isNaN(logs[i])) throw expected(`log densities[${i}]`, "be a number", logs[i]);
    const k = i % pointsPerBin;
    const weight = weights[k % nodes.length] * weights[Math.floor(k / nodes.length)];
    means[Math.floor(i / pointsPerBin)] += weight * densityOf(logs[i]);
  }
  return means;
}

/** Returns 0 below 1e-304. */
function densityOf(log: number): number {
  return log < -700 ? 0 : portableExp(Math.min(700, log));
}
