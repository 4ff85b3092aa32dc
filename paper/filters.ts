/**
 * The fitted parameters, which the paper's conclusion asks for: filters, pooling weights, and
 * exponents.
 */
import { filterOrder, filterShapes } from "../src/evaluation/filter-shapes.js";
import { histogramOf } from "../src/evaluation/histogram.js";
import {
  type FalloffCurve,
  poolingFalloff,
  strongestPools,
} from "../src/evaluation/pooling-falloff.js";
import { layerOf, modelContributions } from "../src/evaluation/pooling.js";
import type { ChartDocument } from "../src/figures/chart-options.js";
import { histogramChart } from "../src/figures/histogram-chart.js";
import { lineChart } from "../src/figures/line-chart.js";
import { patchMosaic, rowsInOrder } from "../src/figures/mosaics.js";
import { type ReportBlock, pictureOf } from "../src/figures/report-blocks.js";
import { prose } from "../src/figures/report-text.js";
import type { FloatArray } from "../src/kernels/kernels.js";
import { portableLog10 } from "../src/numbers/extended-logarithm.js";
import { medianOf } from "../src/numbers/order-statistics.js";
import type { Experiment, ExperimentResult, PaperContext, PaperNumber } from "./experiment.js";
import { filterPicture, poolFigures, zoomFor } from "./parts/model-figures.js";
import { fitPatchModels, patchSize, patchesFor } from "./parts/patch-models.js";

/** Number of patches for the mean contributions to divisors. */
const patches = 4000;
/** Rows and columns of the figure with the strongest contributions to single filters. */
const chosenFilters = 8;
const strongest = 9;
/** Largest width of pictures: without a caption beside them, with one, or two side by side. */
const pictureWidth = { wide: 552, alone: 512, beside: 448 };

export const filters: Experiment = {
  name: "filters",
  title: "What the fit learned",
  section: "§5, asked for in the conclusion",
  data: ["kodak"],
  minutes: { full: 1, quick: 1 },
  run,
};

interface Learned {
  readonly size: number;
  readonly layer: ReturnType<typeof layerOf>;
  readonly order: readonly number[];
  readonly shapes: ReturnType<typeof filterShapes>;
  /** γ_ij E|z_j|^α_j */
  readonly contributions: Float64Array;
}

async function run(context: PaperContext): Promise<ExperimentResult> {
  const fits = await fitPatchModels(context, ["gdn"]);
  const [fit] = fits;
  const { model } = fit;
  const report = context.progress("what the fit learned", 1);
  const x = await patchesFor(context, fit, patches, "contributions");
  const layer = layerOf(model);
  const size = patchSize(context);
  const shapes = filterShapes(layer.H, size);
  const learned: Learned = {
    size,
    layer,
    shapes,
    order: filterOrder(shapes),
    contributions: await modelContributions(context.runner, model, x),
  };
  const { document } = context;
  const blocks = [
    mosaic(learned),
    ...matrices(learned),
    neighbours(learned),
    await falloffs(document, learned),
    await parameters(document, learned),
  ];
  report(1);
  const number = (name: string, value: number, unit = ""): PaperNumber => ({
    name,
    value,
    unit,
    fit,
    standardError: null,
    paper: null,
  });
  return {
    fits,
    blocks,
    numbers: [
      number("filters with an orientation (selectivity of 0.3 or more)", oriented(learned)),
      number("median preferred frequency", medianFrequency(learned), "cycles per pixel"),
      number("share of a divisor that comes from other filters, mean", shareOfOthers(learned)),
      number("exponent α, median", medianOf(layer.alpha)),
      number("exponent ε, median", medianOf(layer.epsilon)),
    ],
  };
}

function oriented({ shapes }: Learned): number {
  return shapes.filter(({ isDc, selectivity }) => !isDc && selectivity >= 0.3).length;
}

function medianFrequency({ shapes }: Learned): number {
  return medianOf(shapes.map(({ frequency }) => frequency));
}

/** Share of the other filters in the divisors, without β. */
function shareOfOthers({ contributions, shapes: { length: n } }: Learned): number {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const row = contributions.subarray(i * n, (i + 1) * n);
    const total = row.reduce((all, value) => all + value, 0);
    sum += total > 0 ? 1 - row[i] / total : 0;
  }
  return sum / n;
}

function mosaic({ layer, order }: Learned): ReportBlock {
  return {
    kind: "figures",
    figures: [filterPicture(layer.H, order, { title: "the GDN", width: pictureWidth.wide })],
    caption: prose`
        The rows of H, from coarse to fine, within each octave by orientation. Grey is 0, black and
        white are the largest weights of each filter. The fit knows nothing about edges; the filters
        became local and oriented because of the photographs.
      `,
  };
}

/** Side by side, unless they are too large for that. */
function matrices({ layer, order, contributions }: Learned): ReportBlock[] {
  const isLarge = 2 * order.length > pictureWidth.beside;
  const width = isLarge ? pictureWidth.alone : pictureWidth.beside;
  const figures = poolFigures(layer, order, contributions, width);
  const caption = prose`
      White is 0, black is the largest (square roots). Filters are in the order of the mosaic.
      ICA-MG would have only the diagonal; in RG all entries would be equal.
    `;
  if (!isLarge) return [{ kind: "figures", figures, caption }];
  return [
    ...figures.map((figure) => ({ kind: "figure", ...figure }) as const),
    { kind: "paragraph", text: caption },
  ];
}

/** Rows of a filter and the filters that contribute most to its divisor. */
function neighbours({ size, layer, order, contributions }: Learned): ReportBlock {
  const n = order.length;
  // One empty place separates the filter from its pool.
  const columns = strongest + 2;
  const all = new Float32Array(chosenFilters * columns * n);
  for (let k = 0; k < chosenFilters; k++) {
    const i = order[Math.floor(((k + 0.5) * n) / chosenFilters)];
    const pool = strongestPools(contributions, n, i, strongest);
    const row = all.subarray(k * columns * n);
    row.set(rowsInOrder(layer.H, [i], n));
    row.set(rowsInOrder(layer.H, pool, n), 2 * n);
  }
  const mosaic = patchMosaic(all, {
    size,
    columns,
    zoom: zoomFor(columns * (size + 1), pictureWidth.alone),
  });
  return {
    kind: "figure",
    ...pictureOf(mosaic, "Filters, and beside each the ones that normalize it most."),
    caption: prose`
      Left, ${chosenFilters} filters from coarse to fine; beside each the ${strongest} others that
      contribute most to its divisor, the largest first. Most of them are neighbours; the curves
      below show how contributions fall off with distance.
    `,
  };
}

async function falloffs(
  document: ChartDocument,
  { contributions, shapes }: Learned,
): Promise<ReportBlock> {
  const { distance, orientation, scale } = poolingFalloff(contributions, shapes);
  const chart = async (title: string, xLabel: string, { x, mean, median: middle }: FalloffCurve) =>
    x.length < 2
      ? []
      : [
          {
            svg: await lineChart(document, {
              title,
              series: [
                { label: "mean", x: roundedX(x), y: percent(mean) },
                { label: "median", x: roundedX(x), y: percent(middle) },
              ],
              levels: [{ label: "all alike", y: 100 / shapes.length }],
              xLabel,
              yLabel: "share of the divisor (%)",
            }),
          },
        ];
  const caption = prose`
      Contribution of a filter to the divisor of another: its share of the pool, over all pairs of
      filters (those with an orientation, those that are not constant). Dashed: equal contributions.
    `;
  const figures = [
    ...(await chart("Distance", "between the centres (pixels)", distance)),
    ...(await chart("Orientation", "angle between stripes (degrees)", {
      ...orientation,
      x: orientation.x.map((angle) => (angle * 180) / Math.PI),
    })),
    ...(await chart("Scale", "octaves that the normalizing filter is finer", scale)),
  ];
  // A single figure of "figures" would be as wide as the page.
  return figures.length === 1
    ? { kind: "figure", ...figures[0], caption }
    : { kind: "figures", figures, caption };
}

function percent(shares: Float64Array): Float64Array {
  return shares.map((share) => 100 * share);
}

function roundedX(x: Float64Array): Float64Array {
  return x.map((value) => Math.round(1e6 * value) / 1e6);
}

async function parameters(document: ChartDocument, { layer }: Learned): Promise<ReportBlock> {
  const chart = async (label: string, values: FloatArray, from: number, least: number) => {
    const to = Math.max(least, ...values);
    const histogram = histogramOf(values, { bins: 30, from, to });
    return {
      svg: await histogramChart(document, { series: [{ label, histogram }], xLabel: label }),
    };
  };
  const { alpha, beta, epsilon } = layer;
  const powers = Float64Array.from(beta, portableLog10);
  const atBound = beta.filter((value) => value < 1.01e-6).length;
  return {
    kind: "figures",
    figures: [
      await chart("α_j", alpha, 1, 2),
      await chart("ε_i", epsilon, 0, 1),
      await chart("log₁₀ β_i", powers, Math.min(-1, Math.floor(Math.min(...powers) + 1e-3)), 0),
    ],
    caption: prose`
      The other parameters. The fit keeps α ≥ 1, β ≥ 10⁻⁶ and ε_i α_i ≤ 1; ${atBound} of
      ${beta.length} β are at that bound. Models of neurons mostly use α = 2 and ε = ½ or 1.
    `,
  };
}
