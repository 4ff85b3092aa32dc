/**
 * Histograms, divergences and mutual information.
 *
 * `import { … } from "gaussianize/information"`
 *
 * @example
 * ```js
 * import { createRandom } from "gaussianize";
 * import { excessKurtosis } from "gaussianize/information";
 *
 * const values = createRandom(1).normalFill(new Float64Array(10_000));
 * console.log(Math.abs(excessKurtosis(values)) < 0.2); // true
 * ```
 *
 * @module gaussianize/information
 */
export { type Divergence, klDivergence, kolmogorovSmirnov } from "../evaluation/divergence.js";
export {
  type Divergence2d,
  type Divergence2dOptions,
  klDivergence2d,
} from "../evaluation/histogram-2d-divergence.js";
export { type LogDensities, densityOnGrid } from "../evaluation/histogram-2d-model.js";
export { smoothed } from "../evaluation/histogram-2d.js";
export {
  type Grid,
  type Histogram2d,
  type Histogram2dOptions,
  type PairCounts,
  histogram2dOf,
} from "../evaluation/histogram-2d.js";
export { type Histogram, type HistogramOptions, histogramOf } from "../evaluation/histogram.js";
export { excessKurtosis } from "../evaluation/moments.js";
export type { PairInformation } from "../evaluation/mutual-information/groups.js";
export { jackknifeError } from "../numbers/means.js";
export {
  type HistogramInformation,
  type HistogramInformationOptions,
  histogramInformation,
} from "../evaluation/mutual-information/histogram-information.js";
export {
  type NearestNeighbourOptions,
  nearestNeighbourInformation,
} from "../evaluation/mutual-information/nearest-neighbour-information.js";
export {
  type NegentropyDifference,
  negentropyDifference,
} from "../evaluation/negentropy-difference.js";
export {
  type ReferenceDistribution,
  chiDistribution,
  standardNormal,
} from "../evaluation/reference-densities.js";
