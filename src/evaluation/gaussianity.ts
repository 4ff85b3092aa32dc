/** Distance of transformed data from a standard normal vector: by length, and by component. */
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
  /** KL divergence in nats, less its bias; like the others, a mean over the components. */
  readonly divergence: number;
  readonly kolmogorovSmirnov: number;
  readonly excessKurtosis: number;
}

/** Six standard deviations: a million normal values stay within. */
const componentBins: HistogramOptions = { bins: 120, from: -6, to: 6 };

/** Compares ‖y‖ of rows of n components with χ of n degrees of freedom. */
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
 * Bins for ‖y‖, a sixth of the standard deviation of a normal vector (√½) wide; the range also
 * holds the lengths after ICA-MG.
 */
export function lengthBins(n: number): HistogramOptions {
  const [from, to] = [Math.floor(0.25 * Math.sqrt(n)), Math.ceil(2.25 * Math.sqrt(n))];
  return { bins: 8 * (to - from), from, to };
}

/** Compares each component with the standard normal; the histogram is of all components. */
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
 * 1. A normal vector is normal in all directions. The axes of y itself are arbitrary for RG, whose
 * density does not change when y is rotated.
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

/** ‖y‖ of each row of y, count×n. */
export function lengthsOf(y: FloatArray, n: number): Float64Array {
  if (y.length % n !== 0) throw expected("y", `hold rows of ${n} values`, y.length);
  return Float64Array.from({ length: y.length / n }, (_, s) => {
    let sum = 0;
    for (let k = s * n; k < (s + 1) * n; k++) sum += y[k] * y[k];
    return Math.sqrt(sum);
  });
}
