/**
 * Sections of the demo's report on the fits: their course, the filters, and what the models draw.
 */
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

/** Of mosaics and matrices, in pixels. */
const pictureWidth = 432;

/** Points of the longest curve, each a mean over as many steps as one of the others. */
const curvePoints = 160;

export async function curveSection(
  document: ChartDocument,
  fits: readonly DemoFit[],
): Promise<ReportSection> {
  const longest = Math.max(...fits.map(({ steps }) => steps));
  const block = Math.ceil(longest / curvePoints);
  const series = fits.map(({ title, curve }) => ({ label: title, ...blockMeans(curve, block) }));
  const svg = await lineChart(document, {
    // The last is the GDN: it goes first, and so has the same colour as in the histograms.
    series: series.reverse(),
    xLabel: "step",
    yLabel: "ΔJ of the patches of the step (nats per pixel)",
  });
  return {
    title: "How the fits went",
    blocks: [
      {
        kind: "figure",
        svg,
        caption: `Means over ${block === 1 ? "the 512 patches of a step" : `${block} steps of 512 patches each`}. These are patches of the photographs that are fitted to; the table has the one that was held out. RG is done early and gets fewer steps.`,
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
          "Each patch is a filter that z = Hx applies to the preprocessed pixels: grey is 0, black and white are its own largest weights. Nobody told the fits of edges: that filters became small oriented ones is what photographs made of them.",
      },
      {
        kind: "figures",
        figures: poolFigures(gdn, coarseToFine(gdn.H), contributions, pictureWidth),
        caption:
          "White is 0, black the largest (square roots); filters in the order of the mosaic above. In ICA-MG there would be nothing but the diagonal: all else is what GDN knows of filters that respond together.",
      },
    ],
  };
}

export function sampleSection(
  samples: readonly { readonly title: string; readonly values: Float32Array }[],
): ReportSection {
  return {
    title: "What the models draw",
    blocks: [
      {
        kind: "figures",
        figures: samples.map(({ title, values }) => sampleFigure(title, values)),
        caption:
          "25 random patches of the photographs that were fitted to, and 25 draws from each density, all shown with the same greys (linear light through the sRGB curve). Patches of photographs are flat, or full of texture, or have an edge. Draws of ICA-MG have a bit of everything everywhere. In RG one norm rules all responses, the brightness included: hence so much black and white. Draws of GDN are smooth or busy as a whole, at any brightness. Long clean edges are beyond all three: they need more than one layer.",
      },
    ],
  };
}
