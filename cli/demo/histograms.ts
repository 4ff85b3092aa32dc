/** How Gaussian the responses y are to patches of the held-out photograph: component by component, and by their length. */
import {
  type Divergence,
  type FloatArray,
  type Histogram,
  type ReferenceDistribution,
  type TaskRunner,
  chiDistribution,
  gaussianize,
  histogramOf,
  independentComponents,
  klDivergence,
  linear,
  standardNormal,
} from "../../src/index.js";
import { patchSize } from "./data.js";
import type { DemoFit } from "./fits.js";

const dimension = patchSize * patchSize;
export const lengthDistribution = chiDistribution(dimension);

export interface Compared {
  readonly title: string;
  readonly histogram: Histogram;
  /** From what perfectly Gaussianized data would give. */
  readonly divergence: Divergence;
}

export interface DemoHistograms {
  /** Of RG and GDN: y along the directions in which it is least Gaussian. */
  readonly components: readonly Compared[];
  /** ‖y‖ of ICA-MG and GDN. */
  readonly lengths: readonly Compared[];
}

/** Six standard deviations: of a million normal values none is beyond. */
const componentBins = { bins: 120, from: -6, to: 6 };
/** √64 = 8 is in the middle of what is expected, which ends at about 11. */
const lengthBins = { bins: 96, from: 2, to: 18 };
/** Enough to find directions with; the histograms are of all samples. */
const samplesForDirections = 6000;
const iterationsForDirections = 25;

export async function demoHistograms(
  runner: TaskRunner,
  fits: readonly DemoFit[],
  patches: Float32Array,
): Promise<DemoHistograms> {
  const components: Compared[] = [];
  const lengths: Compared[] = [];
  for (const { title, model } of fits) {
    const { y } = await gaussianize(runner, model.transform, patches);
    if (title !== "ICA-MG") {
      const rotated = await leastGaussianDirections(runner, y);
      components.push(compare(title, histogramOf(rotated, componentBins), standardNormal));
    }
    if (title !== "RG") {
      lengths.push(compare(title, histogramOf(normsOf(y), lengthBins), lengthDistribution));
    }
  }
  return { components, lengths };
}

/**
 * y in the directions that independent component analysis finds, each with variance 1. A normal vector is normal in all of them;
 * those of the components of y are arbitrary for RG, whose density does not change when y is rotated.
 */
async function leastGaussianDirections(runner: TaskRunner, y: FloatArray): Promise<FloatArray> {
  const { H } = await independentComponents(
    runner.kernels,
    y.subarray(0, samplesForDirections * dimension),
    dimension,
    { maximumIterations: iterationsForDirections },
  );
  return (await gaussianize(runner, linear({ dimension, H }), y)).y;
}

function normsOf(y: FloatArray): Float64Array {
  return Float64Array.from({ length: y.length / dimension }, (_, s) =>
    Math.hypot(...y.subarray(s * dimension, (s + 1) * dimension)),
  );
}

function compare(
  title: string,
  histogram: Histogram,
  distribution: ReferenceDistribution,
): Compared {
  return { title, histogram, divergence: klDivergence(histogram, distribution) };
}
