/** §4.1 and its figure with contours: densities of pairs of wavelet coefficients and of models. */
import { logProb } from "../src/density/induced-density.js";
import { klDivergence2d } from "../src/evaluation/histogram-2d-divergence.js";
import { densityOnGrid } from "../src/evaluation/histogram-2d-model.js";
import {
  type Grid,
  type PairCounts,
  histogram2dOf,
  smoothed,
} from "../src/evaluation/histogram-2d.js";
import { contourGrid } from "../src/figures/contour-charts.js";
import type { ReportBlock } from "../src/figures/report-blocks.js";
import { prose } from "../src/figures/report-text.js";
import { withMinus } from "../src/numbers/format-number.js";
import { errorOfMean, jackknifeError, meanOf } from "../src/numbers/means.js";
import { InlineRunner } from "../src/parallel/inline-runner.js";
import { orientationNames } from "../src/wavelets/coefficient-pairs.js";
import type { Experiment, ExperimentResult, PaperContext, PaperNumber } from "./experiment.js";
import { type PairModel, fitPairModel } from "./parts/pair-transforms.js";
import { type WaveletPairs, pairSet, pairWords, waveletPairs } from "./parts/wavelet-pairs.js";

export const contours: Experiment = {
  name: "contours",
  title: "Contours of densities of pairs of wavelet coefficients",
  section: "§4.1, figure with contours",
  data: [pairSet],
  minutes: { full: 1, quick: 0.5 },
  run,
};

const models: readonly PairModel[] = ["ICA-MG", "RG", "GDN"];
/** Bands of vertical edges. */
const orientation = 0;
const full = { separations: [2, 32, 1024], pairsPerImage: 16_000 };
const quickly = { separations: [2, 16, 128], pairsPerImage: 12_000 };

/** In standard deviations of the coefficients; few pairs lie beyond. */
const reach = 3;
const square = { bins: 60, from: -reach, to: reach };
/** Standard deviation of the smoothing in bins, for both densities. */
const smoothing = 0.8;

interface Measure {
  readonly value: number;
  readonly standardError: number;
}

interface Panel {
  readonly name: PairModel;
  readonly separation: number;
  readonly empirical: Grid;
  readonly density: Grid;
  /** KL divergence in bits. */
  readonly divergence: Measure;
  /** Mean of log p of a pair in bits, for each image. */
  readonly likelihoods: readonly number[];
}

async function run(context: PaperContext): Promise<ExperimentResult> {
  const setting = context.quick ? quickly : full;
  const { separations } = setting;
  const pairs = await waveletPairs(context, { orientations: [orientation], ...setting });
  const panels: Panel[] = [];
  const report = context.progress("densities of pairs", separations.length);
  for (const separation of separations) {
    panels.push(...(await columnOf(context, pairs, separation)));
    report(panels.length / models.length);
  }
  return {
    fits: [],
    numbers: panels.map((panel) => numberOf(panel, pairs.dataHash)),
    hasTable: true,
    blocks: [await figureOf(context, panels, pairs), ...tableOf(panels, separations)],
  };
}

/** All models of one separation, with divergences on the same bins. */
async function columnOf(
  context: PaperContext,
  pairs: WaveletPairs,
  separation: number,
): Promise<Panel[]> {
  const own = pairs.at(orientation, separation);
  const inline = new InlineRunner(context.runner.kernels);
  const images = byImage(own, pairs);
  const histograms = images.map((some) => histogram2dOf(some, square));
  const histogram = histogram2dOf(own, square);
  const densities: Grid[] = [];
  const likelihoods: number[][] = [];
  for (const name of models) {
    const fitted = await fitPairModel(context, name, own);
    densities.push(await densityOnGrid((points) => logProb(inline, fitted, points), square));
    const means: number[] = [];
    for (const some of images) means.push(meanOf(await logProb(inline, fitted, some)) / Math.LN2);
    likelihoods.push(means);
  }
  const partition = meanDensity(densities);
  return models.map((name, k) => ({
    name,
    separation,
    density: densities[k],
    likelihoods: likelihoods[k],
    empirical: histogram.density,
    divergence: divergenceOf(histogram, histograms, densities[k], partition),
  }));
}

function byImage(pairs: Float32Array, { images, pairsPerImage }: WaveletPairs): Float32Array[] {
  return Array.from({ length: images }, (_, image) =>
    pairs.subarray(2 * image * pairsPerImage, 2 * (image + 1) * pairsPerImage),
  );
}

function meanDensity(densities: readonly Grid[]): Grid {
  const values = Array.from(densities[0].values, (_, k) =>
    meanOf(densities.map((density) => density.values[k])),
  );
  return { ...densities[0], values };
}

/** Divergence with its standard error, by leaving out one image after the other. */
function divergenceOf(
  histogram: PairCounts,
  ofImages: readonly PairCounts[],
  density: Grid,
  partition: Grid,
): Measure {
  const inBits = (of: PairCounts): number => klDivergence2d(of, density, { partition }).inBits;
  const without = ofImages.map((image) =>
    inBits({
      ...square,
      counts: histogram.counts.map((count, k) => count - image.counts[k]),
      outside: histogram.outside - image.outside,
      total: histogram.total - image.total,
    }),
  );
  return { value: inBits(histogram), standardError: jackknifeError(without) };
}

function numberOf({ name, separation, divergence }: Panel, dataHash: string): PaperNumber {
  return {
    name: `KL divergence of pairs from ${name}, separation ${separation}`,
    ...divergence,
    unit: "bits",
    paper: null,
    fit: null,
    dataHash,
  };
}

const digits = (value: number): string => withMinus(value.toFixed(3));

async function figureOf(
  context: PaperContext,
  panels: readonly Panel[],
  pairs: WaveletPairs,
): Promise<ReportBlock> {
  const separations = [...new Set(panels.map(({ separation }) => separation))];
  const svg = await contourGrid(context.document, {
    title: "Densities of pairs of coefficients",
    columns: separations.map((separation) => `d = ${separation}`),
    rows: models.map((label) => ({
      label,
      panels: panels
        .filter(({ name }) => name === label)
        .map(({ empirical, density, divergence }) => ({
          empirical: smoothed(empirical, smoothing),
          model: smoothed(density, smoothing),
          note: `KL ${digits(divergence.value)} bits`,
        })),
    })),
    xLabel: "coefficient",
    yLabel: "coefficient d pixels to its right",
  });
  const caption = prose`
    Contour lines of histograms (broad, grey) and of fitted densities (thin). Levels are the same,
    half a power of ten apart. Both are smoothed by ${smoothing} of a bin. Bands of
    ${orientationNames[orientation]} edges. ${pairWords(context, pairs)}.
  `;
  return { kind: "figures", figures: [{ svg }], caption };
}

function tableOf(panels: readonly Panel[], separations: readonly number[]): ReportBlock[] {
  const text = ({ value, standardError }: Measure): string =>
    `${digits(value)}\u00a0±\u00a0${digits(standardError)}`;
  const at = (name: PairModel, separation: number): Panel => {
    const found = panels.find((panel) => panel.name === name && panel.separation === separation);
    if (!found) throw new Error(`no ${name} at ${separation}`);
    return found;
  };
  return [
    {
      kind: "paragraph",
      text: prose`
        Distance of the models from the pairs, in bits ± standard error over images. The KL
        divergence uses the bins of the figure, and one more bin for everything outside of it. The
        bias of the same number of independent pairs is subtracted. All models of a column use the
        same bins. The likelihood needs no bins: it is the mean of log p of a pair, as a loss
        relative to GDN.
      `,
    },
    {
      kind: "table",
      columns: [
        { label: "model" },
        ...separations.map((d) => ({ label: `d = ${d}`, unit: "KL" })),
        ...separations.map((d) => ({ label: `d = ${d}`, unit: "likelihood, less than GDN’s by" })),
      ],
      rows: models.map((name) => [
        name,
        ...separations.map((d) => text(at(name, d).divergence)),
        ...separations.map((d) =>
          name === "GDN" ? "–" : text(shortfallOf(at(name, d), at("GDN", d))),
        ),
      ]),
    },
  ];
}

/** Mean over images of the differences from GDN. */
function shortfallOf(panel: Panel, gdn: Panel): Measure {
  const differences = gdn.likelihoods.map((value, image) => value - panel.likelihoods[image]);
  return { value: meanOf(differences), standardError: errorOfMean(differences) };
}
