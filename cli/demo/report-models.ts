/** Sections of the demo's report about the fits: learning curves, filters and samples. */
import { filterPicture, poolFigures, sampleFigure } from "../../paper/parts/model-figures.js";
import { filterOrder, filterShapes } from "../../src/evaluation/filter-shapes.js";
import { layerOf } from "../../src/evaluation/pooling.js";
import type { ChartDocument } from "../../src/figures/chart-options.js";
import { lineChart } from "../../src/figures/line-chart.js";
import type { ReportSection } from "../../src/figures/report.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import { thousands } from "../../src/numbers/format-number.js";
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
        caption: `Means over ${block === 1 ? "the 512 patches of a step" : `${block} steps of 512 patches each`}. These are training patches; the table above is about the held-out photograph. ${stepsText(fits)}`,
      },
    ],
  };
}

/** Says which curves are shorter than the longest. */
function stepsText(fits: readonly DemoFit[]): string {
  const steps = fits.map(({ title, steps }) => `${title} ${thousands(steps)}`);
  return `Steps of each fit: ${steps.join(", ")}.`;
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

/** Largest bandwidth of a filter that counts as oriented, in radians: 30°. */
const orientedBandwidth = Math.PI / 6;

/** Counts the oriented filters of each fit: a short fit may have none. */
function orientedText(fits: readonly Pick<DemoFit, "title" | "model">[]): string {
  const counts = fits.map(({ title, model }) => {
    const shapes = filterShapes(layerOf(model).H, patchSize);
    const oriented = shapes.filter(({ bandwidth }) => bandwidth < orientedBandwidth);
    return { title, count: oriented.length, all: shapes.length };
  });
  const words = counts.map(({ title, count, all }) => `${count} of ${all} in ${title}`);
  const advice = counts.some(({ count }) => count === 0) ? " More steps give more of them." : "";
  return `Filters with a clear orientation, like edges: ${words.join(", ")}.${advice}`;
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
        caption: `Each patch is a filter that z = Hx applies to the preprocessed pixels: grey is 0, black and white are its own largest weights. Nothing told the fits about edges. ${orientedText(filtered)}`,
      },
      {
        kind: "figures",
        figures: poolFigures(gdn, coarseToFine(gdn.H), contributions, pictureWidth),
        caption:
          "White is 0, black the largest value (square roots); filters in the order of the mosaic above. ICA-MG has only the diagonal. The other values let the filters of a GDN normalise each other.",
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
          "25 random training patches and 25 samples from each density, all with the same greys (linear light through the sRGB curve). Patches of photographs are flat, full of texture, or have an edge. ICA-MG draws its responses independently, so smooth and busy parts mix. In RG one norm controls all responses, so brightness and contrast vary together. In a GDN each response has its own pool, so a sample can be smooth or busy as a whole at any brightness, the more so the longer the fit. Long clean edges need more than one layer.",
      },
    ],
  };
}
