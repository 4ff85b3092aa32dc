/**
 * How far transformed data are from a standard normal vector: by their length, and component by
 * component.
 */
import { expected } from "../errors.js";
import type { FloatArray, Kernels } from "../kernels/kernels.js";
import { type IcaOptions, independentComponents } from "../transforms/ica.js";
import { type Linear, linear } from "../transforms/linear.js";
import { klDivergence, kolmogorovSmirnov, kolmogorovSmirnovAtEdges } from "./divergence.js";
import { type Histogram, type HistogramOptions, histogramOf } from "./histogram.js";
import { excessKurtosis } from "./moments.js";
import { chiDistribution, standardNormal } from "./reference-densities.js";

export interface Gaussianity {
  readonly histogram: Histogram;
  /**
   * From the expected distribution, in nats, less the bias of a sample of this size; means over the
   * components.
   */
  readonly divergence: number;
  readonly kolmogorovSmirnov: number;
  readonly excessKurtosis: number;
}

/** Six standard deviations: of a million normal values none is beyond. */
const componentBins: HistogramOptions = { bins: 120, from: -6, to: 6 };

/** ‖y‖ of rows of n components, against χ with n degrees of freedom: √n ± ½ where y is normal. */
export function lengthGaussianity(y: FloatArray, n: number): Gaussianity {
  const lengths = lengthsOf(y, n);
  const expected = chiDistribution(n);
  const histogram = histogramOf(lengths, lengthBins(n));
  const { inNats, biasInNats } = klDivergence(histogram, expected);
  return {
    histogram,
    divergence: Math.max(0, inNats - biasInNats),
    kolmogorovSmirnov: kolmogorovSmirnov(lengths, expected),
    excessKurtosis: excessKurtosis(lengths),
  };
}

/**
 * Bins of a sixth of a normal vector's standard deviation, which is √½; wide enough for what ICA-MG
 * leaves.
 */
export function lengthBins(n: number): HistogramOptions {
  const [from, to] = [Math.floor(0.25 * Math.sqrt(n)), Math.ceil(2.25 * Math.sqrt(n))];
  return { bins: 8 * (to - from), from, to };
}

/**
 * Each component against the standard normal distribution; the histogram is of all of them
 * together.
 */
export function componentGaussianity(y: FloatArray, n: number): Gaussianity {
  const count = y.length / n;
  const column = new Float64Array(count);
  let [divergence, distance, kurtosis] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    for (let s = 0; s < count; s++) column[s] = y[s * n + i];
    const histogram = histogramOf(column, componentBins);
    const { inNats, biasInNats } = klDivergence(histogram, standardNormal);
    divergence += Math.max(0, inNats - biasInNats);
    distance += kolmogorovSmirnovAtEdges(histogram, standardNormal);
    kurtosis += excessKurtosis(column);
  }
  return {
    histogram: histogramOf(y, componentBins),
    divergence: divergence / n,
    kolmogorovSmirnov: distance / n,
    excessKurtosis: kurtosis / n,
  };
}

/**
 * The directions that independent component analysis finds in y (count×n), each scaled to variance
 * 1. A normal vector is normal in all of them; those of the components of y are arbitrary for RG,
 * whose density does not change when y is rotated.
 */
export async function leastGaussianDirections(
  kernels: Kernels,
  y: FloatArray,
  n: number,
  options: IcaOptions = {},
): Promise<Linear> {
  const { H } = await independentComponents(kernels, y, n, options);
  return linear({ dimension: n, H });
}

/** ‖y‖ of the rows of y, count×n. */
export function lengthsOf(y: FloatArray, n: number): Float64Array {
  if (y.length % n !== 0) throw expected("y", `hold rows of ${n} values`, y.length);
  return Float64Array.from({ length: y.length / n }, (_, s) => {
    let sum = 0;
    for (let k = s * n; k < (s + 1) * n; k++) sum += y[k] * y[k];
    return Math.sqrt(sum);
  });
}
