/** Sections of the demo's report about the fits: learning curves, filters and samples. */
import { filterPicture, poolFigures, sampleFigure } from "../../paper/parts/model-figures.js";
import { filterOrder, filterShapes } from "../../src/evaluation/filter-shapes.js";
import { layerOf } from "../../src/evaluation/pooling.js";
import type { ChartDocument } from "../../src/figures/chart-options.js";
import { lineChart } from "../../src/figures/line-chart.js";
import type { ReportSection } from "../../src/figures/report.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import { meanOf } from "../../src/numbers/means.js";
import { patchSize } from "./data.js";
import type { DemoFit } from "./fits.js";

/** Width of mosaics and matrices in pixels. */
const pictureWidth = 432;

/** Points of the longest curve; each point of any curve is a mean over as many steps. */
const curvePoints = 160;

export async function curveSection(
  document: ChartDocument,
  fits: readonly DemoFit[],
): Promise<ReportSection> {
  const longest = Math.max(...fits.map(({ steps }) => steps));
  const block = Math.ceil(longest / curvePoints);
  const series = fits.map(({ title, curve }) => ({ label: title, ...blockMeans(curve, block) }));
  const svg = await lineChart(document, {
    // The GDN comes first, so that it has the same colour as in the histograms.
    series: series.reverse(),
    xLabel: "step",
    yLabel: "ΔJ of the patches of the step (nats per pixel)",
  });
  return {
    title: "Learning curves",
    blocks: [
      {
        kind: "figure",
        svg,
        caption: `Means over ${block === 1 ? "the 512 patches of a step" : `${block} steps of 512 patches each`}. These are training patches; the table above is about the held-out photograph. RG needs fewer steps.`,
      },
    ],
  };
}

function blockMeans(values: Float64Array, length: number): { x: number[]; y: number[] } {
  const [x, y]: [number[], number[]] = [[], []];
  for (let first = 0; first < values.length; first += length) {
    const block = values.subarray(first, first + length).filter(Number.isFinite);
    x.push(Math.min(first + length, values.length));
    y.push(meanOf(block));
  }
  return { x, y };
}

function coarseToFine(H: FloatArray): number[] {
  return filterOrder(filterShapes(H, patchSize));
}

export function filterSection(
  fits: readonly DemoFit[],
  contributions: Float64Array,
): ReportSection {
  const filtered = fits.filter(({ title }) => title !== "RG");
  const figures = filtered.map(({ title, model }) => {
    const { H } = layerOf(model);
    const picture = filterPicture(H, coarseToFine(H), { title, width: pictureWidth });
    return { ...picture, caption: `${title}: the 64 rows of H, from coarse to fine.` };
  });
  const gdn = layerOf(filtered[filtered.length - 1].model);
  return {
    title: "What the filters look for",
    blocks: [
      {
        kind: "figures",
        figures,
        caption:
          "Each patch is a filter that z = Hx applies to the preprocessed pixels: grey is 0, black and white are its own largest weights. Nothing told the fits about edges: small oriented filters are what photographs led to.",
      },
      {
        kind: "figures",
        figures: poolFigures(gdn, coarseToFine(gdn.H), contributions, pictureWidth),
        caption:
          "White is 0, black the largest value (square roots); filters in the order of the mosaic above. ICA-MG would have only the diagonal: everything else is what GDN has learned about filters that respond together.",
      },
    ],
  };
}

export function sampleSection(
  samples: readonly { readonly title: string; readonly values: Float32Array }[],
): ReportSection {
  return {
    title: "Samples from the models",
    blocks: [
      {
        kind: "figures",
        figures: samples.map(({ title, values }) => sampleFigure(title, values)),
        caption:
          "25 random training patches and 25 samples from each density, all with the same greys (linear light through the sRGB curve). Patches of photographs are flat, full of texture, or have an edge. Samples from ICA-MG have a bit of everything everywhere. In RG one norm controls all responses, brightness included: hence so much black and white. Samples from GDN are smooth or busy as a whole, at any brightness. None of the three draws long clean edges: these need more than one layer.",
      },
    ],
  };
}
