/** The section of the demo's report that shows how Gaussian the responses became. */
import {
  type ChartDocument,
  type ReportSection,
  histogramChart,
  standardNormal,
} from "../../src/index.js";
import { type Compared, type DemoHistograms, lengthDistribution } from "./histograms.js";

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
            caption: `Distance from the normal density: ${distances(components)}. A normal vector is normal in all directions; these are the 64 that independent component analysis finds, scaled to variance 1. RG knows only the norm of y, and leaves tails.`,
          },
          {
            svg: await histogramChart(document, {
              title: "Length of y",
              series: seriesOf(lengths),
              expected: lengthDistribution,
              xLabel: "‖y‖",
            }),
            caption: `Distance from the χ density of 64 independent normal components: ${distances(lengths)}. ICA-MG knows nothing of what its responses have in common: where one is large, so are others.`,
          },
        ],
        caption:
          "Responses to patches of the photograph that was held out. Dashed: what perfectly Gaussianized patches would give. Distances are Kullback–Leibler divergences of the histograms.",
      },
    ],
  };
}

function seriesOf(compared: readonly Compared[]) {
  // The last is the GDN: it goes first, and so above the others.
  return compared.map(({ title, histogram }) => ({ label: title, histogram })).reverse();
}

function distances(compared: readonly Compared[]): string {
  return compared
    .map(({ title, divergence: { inNats } }) => `${title} ${inNats.toPrecision(2)} nats`)
    .join(", ");
}
