/** §4.1 and its figure: mutual information of pairs of wavelet coefficients after various transforms, by their separation. */
import {
  type LineSeries,
  type PairInformation,
  type ReportBlock,
  histogramInformation,
  lineChart,
  nearestNeighbourInformation,
} from "../src/index.js";
import type { Experiment, ExperimentResult, PaperContext, PaperNumber } from "./experiment.js";
import { type PairTransform, pairTransforms, transformedPairs } from "./parts/pair-transforms.js";
import {
  type WaveletPairs,
  orientationNames,
  pairSet,
  pairWords,
  waveletPairs,
} from "./parts/wavelet-pairs.js";

export const mutualInformation: Experiment = {
  name: "mutual-information",
  title: "Mutual information of pairs of wavelet coefficients",
  section: "§4.1, figure with mutual information",
  data: [pairSet],
  minutes: { full: 15, quick: 1 },
  run,
};

const full = {
  orientations: [0, 1, 2, 3],
  separations: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
  pairsPerImage: 4000,
};
const quickly = { orientations: [0, 2], separations: [1, 4, 16, 64, 256], pairsPerImage: 4000 };

/** Of the estimate by nearest neighbours: more of them, less noise. */
const neighbours = 8;

/** The paper has five curves; the table has both kinds of RG. */
const drawn: readonly PairTransform[] = ["GDN", "RG", "ICA-MG", "ICA", "raw"];

interface Estimate {
  readonly inBits: number;
  readonly standardError: number;
}

/** Of one transform at one separation. */
interface Measured {
  readonly transform: PairTransform;
  readonly separation: number;
  /** Of each orientation, and their mean. */
  readonly byNeighbours: readonly Estimate[];
  readonly byHistogram: readonly Estimate[];
  readonly neighboursMean: Estimate;
  readonly histogramMean: Estimate;
}

async function run(context: PaperContext): Promise<ExperimentResult> {
  const setting = context.quick ? quickly : full;
  const pairs = await waveletPairs(context, setting);
  const measured = await measure(context, pairs, setting);
  return {
    fits: [],
    numbers: measured.map(numberOf),
    hasTable: true,
    blocks: [
      await figureOf(context, measured, pairs),
      await orientationsOf(context, measured, setting.orientations),
      { kind: "paragraph", text: findingsOf(measured, setting.separations) },
      tableOf(measured, setting.separations, "neighboursMean"),
      tableOf(measured, setting.separations, "histogramMean"),
      { kind: "paragraph", text: agreementOf(measured) },
    ],
  };
}

async function measure(
  context: PaperContext,
  pairs: WaveletPairs,
  { orientations, separations }: typeof full,
): Promise<Measured[]> {
  const { groups } = pairs;
  const measured: Measured[] = [];
  const total = separations.length * pairTransforms.length * orientations.length;
  const report = context.progress("mutual information", total);
  let done = 0;
  for (const separation of separations) {
    for (const transform of pairTransforms) {
      const found: [PairInformation, PairInformation][] = [];
      for (const orientation of orientations) {
        const own = pairs.at(orientation, separation);
        const y = await transformedPairs(context, transform, own);
        found.push([
          nearestNeighbourInformation(y, { neighbours, groups }),
          histogramInformation(y, { groups }),
        ]);
        report(++done);
      }
      const [nearest, binned] = [found.map(([a]) => a), found.map(([, b]) => b)];
      measured.push({
        transform,
        separation,
        byNeighbours: nearest.map(estimateOf),
        byHistogram: binned.map(estimateOf),
        neighboursMean: meanOf(nearest),
        histogramMean: meanOf(binned),
      });
    }
  }
  return measured;
}

function estimateOf({ inBits, standardErrorInBits }: PairInformation): Estimate {
  return { inBits, standardError: standardErrorInBits };
}

/** Over orientations. They share their images: the standard error is that of the images' own means over orientations. */
function meanOf(of: readonly PairInformation[]): Estimate {
  const average = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const images = Array.from(of[0].groupsInBits, (_, g) =>
    average(of.map(({ groupsInBits }) => groupsInBits[g])),
  );
  const center = average(images);
  const variance =
    images.reduce((sum, value) => sum + (value - center) ** 2, 0) / (images.length - 1);
  return {
    inBits: average(of.map(({ inBits }) => inBits)),
    standardError: Math.sqrt(variance / images.length),
  };
}

function numberOf({ transform, separation, neighboursMean }: Measured): PaperNumber {
  return {
    name: `mutual information of ${transform}, separation ${separation}`,
    value: neighboursMean.inBits,
    standardError: neighboursMean.standardError,
    unit: "bits",
    paper: null,
    fit: null,
  };
}

function seriesOf(
  measured: readonly Measured[],
  estimate: (of: Measured) => Estimate,
): LineSeries[] {
  return drawn.map((transform) => {
    const own = measured.filter((each) => each.transform === transform);
    return {
      label: transform,
      x: own.map(({ separation }) => separation),
      y: own.map((each) => estimate(each).inBits),
      error: own.map((each) => estimate(each).standardError),
    };
  });
}

const axes = {
  xLabel: "separation (pixels)",
  yLabel: "mutual information (bits)",
  powersOfTwo: true,
  names: "legend",
  digits: 3,
} as const;

async function figureOf(
  context: PaperContext,
  measured: readonly Measured[],
  { images, leftOut }: WaveletPairs,
): Promise<ReportBlock> {
  const saturated = leftOut === 0 ? "" : `, ${leftOut} saturated ones left out`;
  return {
    kind: "figure",
    svg: await lineChart(context.document, {
      title: "Mutual information of pairs of coefficients",
      series: seriesOf(measured, ({ neighboursMean }) => neighboursMean),
      ...axes,
    }),
    caption: `Pairs of coefficients of the finest scale of a steerable pyramid with four orientations, side by side at a separation, of ${pairWords(context)} (${images} images${saturated}), after each transform. Means over orientations; bands are one standard error over images.`,
  };
}

async function orientationsOf(
  { document }: PaperContext,
  measured: readonly Measured[],
  orientations: readonly number[],
): Promise<ReportBlock> {
  const figures = [];
  for (const [k, orientation] of orientations.entries()) {
    figures.push({
      svg: await lineChart(document, {
        title: `Bands of edges: ${orientationNames[orientation]}`,
        series: seriesOf(measured, ({ byNeighbours }) => byNeighbours[k]),
        ...axes,
      }),
    });
  }
  return { kind: "figures", figures, caption: "The same for each orientation." };
}

function estimatesOf(
  measured: readonly Measured[],
  transform: PairTransform,
  separation: number,
): Measured {
  const found = measured.find((of) => of.transform === transform && of.separation === separation);
  if (!found) throw new Error(`no ${transform} at ${separation}`);
  return found;
}

const bits = (value: number): string => value.toFixed(4).replace("-", "−");

function tableOf(
  measured: readonly Measured[],
  separations: readonly number[],
  estimator: "neighboursMean" | "histogramMean",
): ReportBlock {
  return {
    kind: "table",
    caption:
      estimator === "neighboursMean"
        ? `By ${neighbours} nearest neighbours (Kraskov et al. 2004), in bits ± standard error over images`
        : "By histograms of equally probable bins, bias taken off, in bits ± standard error over images",
    columns: [{ label: "separation" }, ...pairTransforms.map((label) => ({ label }))],
    rows: separations.map((separation) => [
      String(separation),
      ...pairTransforms.map((transform) => {
        const { inBits, standardError } = estimatesOf(measured, transform, separation)[estimator];
        return `${bits(inBits)} ± ${bits(standardError)}`;
      }),
    ]),
  };
}

/** What the paper says of its curves, in numbers. */
function findingsOf(measured: readonly Measured[], separations: readonly number[]): string {
  const value = (transform: PairTransform, separation: number): number =>
    estimatesOf(measured, transform, separation).neighboursMean.inBits;
  const [nearest, farthest] = [separations[0], separations[separations.length - 1]];
  const gdnMost = Math.max(...separations.map((separation) => value("GDN", separation)));
  const others = pairTransforms.filter((transform) => transform !== "GDN");
  const lowest = separations.filter((separation) =>
    others.every((transform) => value("GDN", separation) <= value(transform, separation)),
  );
  return [
    `For neighbours (d = ${nearest}) a linear transform takes ${bits(value("raw", nearest))} bits down to ${bits(value("ICA", nearest))}; at d = ${farthest} it changes nothing (${bits(value("raw", farthest))} and ${bits(value("ICA", farthest))}).`,
    `RG leaves ${bits(value("RG", nearest))} bits of neighbours, and at d = ${farthest} it has ${bits(value("RG", farthest))}: ${value("RG", farthest) > value("raw", farthest) ? "more than there was before" : "not more than there was before"}.`,
    `GDN leaves at most ${bits(gdnMost)} bits at any separation, and less than all others at ${lowest.length} of ${separations.length}.`,
  ].join(" ");
}

function agreementOf(measured: readonly Measured[]): string {
  const differences = measured.map(({ neighboursMean, histogramMean }) =>
    Math.abs(neighboursMean.inBits - histogramMean.inBits),
  );
  return `The two estimators know nothing of each other: they differ by ${bits(Math.max(...differences))} bits at most, by ${bits(differences.reduce((sum, value) => sum + value, 0) / differences.length)} on average. What bins hide is what histograms lack where coefficients are strongly dependent.`;
}
