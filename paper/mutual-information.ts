/** §4.1 and its figure: mutual information of pairs of wavelet coefficients, by separation. */
import type { ChartDocument } from "../src/figures/chart-options.js";
import { lineChart } from "../src/figures/line-chart.js";
import type { LineSeries } from "../src/figures/line-series.js";
import type { ReportBlock } from "../src/figures/report-blocks.js";
import { prose } from "../src/figures/report-text.js";
import { withMinus } from "../src/numbers/format-number.js";
import { meanOf } from "../src/numbers/means.js";
import { orientationNames } from "../src/wavelets/coefficient-pairs.js";
import type { Experiment, ExperimentResult, PaperContext, PaperNumber } from "./experiment.js";
import { type LeftOut, meanLeftOut, standardErrorOf } from "./parts/left-out.js";
import { pairClaims } from "./parts/pair-claims.js";
import {
  type Estimator,
  type Measured,
  measurePairs,
  neighbours,
} from "./parts/pair-information.js";
import { type PairTransform, pairTransforms } from "./parts/pair-transforms.js";
import { pairSet, pairWords, waveletPairs } from "./parts/wavelet-pairs.js";

export const mutualInformation: Experiment = {
  name: "mutual-information",
  title: "Mutual information of pairs of wavelet coefficients",
  section: "§4.1, figure with mutual information",
  data: [pairSet],
  minutes: { full: 11, quick: 1 },
  run,
};

const full = {
  orientations: [0, 1, 2, 3],
  separations: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
  pairsPerImage: 4000,
};
const quickly = { orientations: [0, 2], separations: [1, 4, 16, 64, 256], pairsPerImage: 3000 };

/** The paper has five curves; the table has both kinds of RG. */
const drawn: readonly PairTransform[] = ["GDN", "RG", "ICA-MG", "ICA", "raw"];

async function run(context: PaperContext): Promise<ExperimentResult> {
  const { orientations, ...setting } = context.quick ? quickly : full;
  const pairs = await waveletPairs(context, { orientations, ...setting });
  const measured = await measurePairs(context, pairs, orientations, setting.separations);
  const { document } = context;
  const about = prose`
    Mutual information of pairs of wavelet coefficients after each transform, estimated from
    ${neighbours} nearest neighbours. Means over
    ${orientations.length === 4 ? "the four" : "two of the four"} orientations of the bands.
    Translucent areas show one standard error, from leaving out an eighth of the images at a time.
    ${pairWords(context, pairs)}. The transforms are fitted to the same pairs.
  `;
  return {
    fits: [],
    numbers: measured.flatMap((each) =>
      pairTransforms.map((transform) => numberOf(each, transform, pairs.dataHash)),
    ),
    hasTable: true,
    blocks: [
      { kind: "figures", figures: await figuresOf(document, measured), caption: about },
      await orientationsOf(document, measured, orientations),
      pairClaims(measured),
      { kind: "paragraph", text: aboutTables },
      tableOf(measured, "byNeighbours"),
      tableOf(measured, "byHistogram"),
      { kind: "paragraph", text: agreementOf(measured) },
    ],
  };
}

const aboutTables = prose`
    RG is parametric, a GDN with one pool. “RG, by histogram” uses the histogram of radii (Lyu &
    Simoncelli 2009). ICA uses the best of all rotations. ICA-MG uses the linear transform of its
    density, because a nonlinearity of one coordinate does not change mutual information. “Across
    images” pairs each coefficient with one of another image. These are independent, so this column
    shows the error of the estimate.
  `;

function valueAt(
  { of }: Measured,
  transform: PairTransform | "across",
  estimator: Estimator = "byNeighbours",
): LeftOut {
  return meanLeftOut(of[transform][estimator]);
}

function numberOf(measured: Measured, transform: PairTransform, dataHash: string): PaperNumber {
  const mean = valueAt(measured, transform);
  return {
    name: `mutual information of ${transform}, separation ${measured.separation}`,
    value: mean.value,
    standardError: standardErrorOf(mean),
    unit: "bits",
    paper: null,
    fit: null,
    dataHash,
  };
}

function seriesOf(
  measured: readonly Measured[],
  some: readonly PairTransform[],
  estimate: (measured: Measured, transform: PairTransform) => LeftOut,
): LineSeries[] {
  return some.map((transform) => {
    const estimates = measured.map((each) => estimate(each, transform));
    return {
      label: transform,
      x: measured.map(({ separation }) => separation),
      y: estimates.map(({ value }) => value),
      error: estimates.map(standardErrorOf),
    };
  });
}

const axes = {
  xLabel: "separation (pixels)",
  yLabel: "mutual information (bits)",
  powersOfTwo: true,
  names: "legend",
} as const;

async function figuresOf(document: ChartDocument, measured: readonly Measured[]) {
  const all = seriesOf(measured, drawn, (each, transform) => valueAt(each, transform));
  // RG and GDN are first, and so keep their colours in the second chart.
  const few = all.slice(0, 2);
  return [
    { svg: await lineChart(document, { title: "All of it", series: all, ...axes }) },
    { svg: await lineChart(document, { title: "What RG and GDN leave", series: few, ...axes }) },
  ];
}

async function orientationsOf(
  document: ChartDocument,
  measured: readonly Measured[],
  orientations: readonly number[],
): Promise<ReportBlock> {
  const figures = [];
  for (const [k, orientation] of orientations.entries()) {
    const estimate = ({ of }: Measured, transform: PairTransform): LeftOut =>
      of[transform].byNeighbours[k];
    figures.push({
      svg: await lineChart(document, {
        title: `Bands of ${orientationNames[orientation]} edges`,
        series: seriesOf(measured, drawn, estimate),
        ...axes,
      }),
    });
  }
  const caption = prose`
      The same for each orientation. Neighbours along an edge (horizontal edges) share more
      information than neighbours across it.
    `;
  return { kind: "figures", figures, caption };
}

/** Three digits: standard errors are in the third. */
function bits(value: number): string {
  return withMinus(value.toFixed(3));
}

function tableOf(measured: readonly Measured[], estimator: Estimator): ReportBlock {
  const names = [...pairTransforms, "across"] as const;
  return {
    kind: "table",
    caption:
      estimator === "byNeighbours"
        ? "By nearest neighbours (Kraskov et al. 2004), in bits ± standard error"
        : prose`
          By histograms with equal numbers of pairs in each row and column, after bias correction,
          in bits ± standard error
        `,
    columns: [
      { label: "d" },
      ...pairTransforms.map((label) => ({
        label: label.replace("non-parametric", "by histogram"),
      })),
      { label: "across images" },
    ],
    rows: measured.map((each) => [
      String(each.separation),
      ...names.map((name) => {
        const estimate = valueAt(each, name, estimator);
        return `${bits(estimate.value)}\u00a0±\u00a0${bits(standardErrorOf(estimate))}`;
      }),
    ]),
  };
}

function agreementOf(measured: readonly Measured[]): string {
  const differences = measured.flatMap((each) =>
    pairTransforms.map((transform) =>
      Math.abs(valueAt(each, transform).value - valueAt(each, transform, "byHistogram").value),
    ),
  );
  return prose`
    The two estimates differ by ${bits(Math.max(...differences))} bits at most and by
    ${bits(meanOf(differences))} on average. Histograms miss the dependence within a bin, so they
    are too low where the dependence is strong.
  `;
}
