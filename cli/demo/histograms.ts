/** How Gaussian the responses y are to patches of the held-out photograph: component by component, and by their length. */
import {
  type Divergence,
  type Histogram,
  type ReferenceDistribution,
  type TaskRunner,
  chiDistribution,
  gaussianize,
  histogramOf,
  klDivergence,
  leastGaussianDirections,
  lengthsOf,
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
      const directions = await leastGaussianDirections(
        runner.kernels,
        y.subarray(0, samplesForDirections * dimension),
        dimension,
        { maximumIterations: iterationsForDirections },
      );
      const { y: rotated } = await gaussianize(runner, directions, y);
      components.push(compare(title, histogramOf(rotated, componentBins), standardNormal));
    }
    if (title !== "RG") {
      lengths.push(
        compare(title, histogramOf(lengthsOf(y, dimension), lengthBins), lengthDistribution),
      );
    }
  }
  return { components, lengths };
}

function compare(
  title: string,
  histogram: Histogram,
  distribution: ReferenceDistribution,
): Compared {
  return { title, histogram, divergence: klDivergence(histogram, distribution) };
}
