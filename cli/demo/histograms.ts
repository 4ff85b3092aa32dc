/** Histograms of components and lengths of the responses y to held-out patches. */
import { gaussianize } from "../../src/density/induced-density.js";
import { type Divergence, klDivergence } from "../../src/evaluation/divergence.js";
import { leastGaussianDirections, lengthsOf } from "../../src/evaluation/gaussianity.js";
import { type Histogram, histogramOf } from "../../src/evaluation/histogram.js";
import {
  type ReferenceDistribution,
  chiDistribution,
  standardNormal,
} from "../../src/evaluation/reference-densities.js";
import type { ChartDocument } from "../../src/figures/chart-options.js";
import { histogramChart } from "../../src/figures/histogram-chart.js";
import type { ReportSection } from "../../src/figures/report.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { patchSize } from "./data.js";
import type { DemoFit } from "./fits.js";

const dimension = patchSize * patchSize;
export const lengthDistribution = chiDistribution(dimension);

export interface Compared {
  readonly title: string;
  readonly histogram: Histogram;
  /** Distance from the distribution of perfectly Gaussianized data. */
  readonly divergence: Divergence;
}

export interface DemoHistograms {
  /** Components of y in its least Gaussian directions, for RG and GDN. */
  readonly components: readonly Compared[];
  /** Lengths ‖y‖ for ICA-MG and GDN. */
  readonly lengths: readonly Compared[];
}

/** Six standard deviations hold all of a million normal values. */
const componentBins = { bins: 120, from: -6, to: 6 };
/** The expected lengths are centred at √64 = 8 and end at about 11. */
const lengthBins = { bins: 96, from: 2, to: 18 };
/** Samples for finding directions; histograms use all samples. */
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

export async function histogramSection(
  document: ChartDocument,
  { components, lengths }: DemoHistograms,
): Promise<ReportSection> {
  return {
    title: "How Gaussian the responses are",
    blocks: [
      {
        kind: "figures",
        figures: [
          {
            svg: await histogramChart(document, {
              title: "y in its least Gaussian directions",
              series: seriesOf(components),
              expected: standardNormal,
              xLabel: "component along the direction",
              logarithmic: true,
            }),
            caption: `Distance from the normal density: ${distances(components)}. A normal vector is normal in every direction; independent component analysis finds these 64, scaled to variance 1. RG normalises only the norm of y; values beyond the dashed curve are what it leaves in single directions.`,
          },
          {
            svg: await histogramChart(document, {
              title: "Length of y",
              series: seriesOf(lengths),
              expected: lengthDistribution,
              xLabel: "‖y‖",
            }),
            caption: `Distance from the χ density of 64 independent normal components: ${distances(lengths)}. ICA-MG treats its responses as independent. In photographs, where one is large, others often are too, which spreads the lengths.`,
          },
        ],
        caption:
          "Responses to patches of the held-out photograph. Dashed: perfectly Gaussianized patches. Distances are Kullback–Leibler divergences of the histograms.",
      },
    ],
  };
}

function seriesOf(compared: readonly Compared[]) {
  // The GDN comes last in the fits and first here, so that it is drawn above the others.
  return compared.map(({ title, histogram }) => ({ label: title, histogram })).reverse();
}

function distances(compared: readonly Compared[]): string {
  return compared
    .map(({ title, divergence: { inNats } }) => `${title} ${inNats.toPrecision(2)} nats`)
    .join(", ");
}
