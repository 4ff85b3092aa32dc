/** §4.1 and its figure with contours: densities of pairs of wavelet coefficients, and those of models fitted to them. */
import {
  type ContourPanel,
  InlineRunner,
  contourGrid,
  densityOnGrid,
  histogram2dOf,
  klDivergence2d,
  logProb,
  smoothed,
} from "../src/index.js";
import type { Experiment, ExperimentResult, PaperContext, PaperNumber } from "./experiment.js";
import { type PairModel, fitPairModel } from "./parts/pair-transforms.js";
import { orientationNames, pairSet, pairWords, waveletPairs } from "./parts/wavelet-pairs.js";

export const contours: Experiment = {
  name: "contours",
  title: "Contours of densities of pairs of wavelet coefficients",
  section: "§4.1, figure with contours",
  data: [pairSet],
  minutes: { full: 3, quick: 0.5 },
  run,
};

const models: readonly PairModel[] = ["ICA-MG", "RG", "GDN"];
/** Vertical edges side by side. */
const orientation = 0;
const full = { separations: [2, 32, 1024], pairsPerImage: 16_000 };
const quickly = { separations: [2, 16, 128], pairsPerImage: 16_000 };

/** In standard deviations of the coefficients: beyond it are few pairs. */
const reach = 3;
const bins = 60;
/** In bins, of both densities: steps of a histogram are no contours. */
const smoothing = 0.8;

interface Panel extends ContourPanel {
  readonly model: ContourPanel["model"];
  readonly separation: number;
  readonly name: PairModel;
  readonly divergenceInBits: number;
}

async function run(context: PaperContext): Promise<ExperimentResult> {
  const { separations, pairsPerImage } = context.quick ? quickly : full;
  const pairs = await waveletPairs(context, {
    ...{ orientations: [orientation], separations, pairsPerImage },
  });
  const panels: Panel[] = [];
  const report = context.progress("densities of pairs", separations.length * models.length);
  for (const separation of separations) {
    const standardized = scaled(pairs.at(orientation, separation));
    for (const model of models) {
      panels.push(await panelOf(context, standardized, model, separation));
      report(panels.length);
    }
  }
  return {
    fits: [],
    numbers: panels.map(numberOf),
    blocks: [
      {
        kind: "figure",
        svg: await contourGrid(context.document, {
          title: "Densities of pairs of coefficients",
          columns: separations.map((separation) => `d = ${separation}`),
          rows: models.map((label) => ({
            label,
            panels: panels.filter(({ name }) => name === label),
          })),
          xLabel: "coefficient",
          yLabel: "coefficient d pixels to its right",
        }),
        caption: `Contour lines of histograms (grey) and of fitted densities (black), at the same densities, each a half power of ten below the next. Coefficients of ${orientationNames[orientation]} edges, finest scale, in standard deviations; ${pairWords(context)}. KL is the divergence of the histogram from the model, its bias taken off.`,
      },
      { kind: "paragraph", text: summaryOf(panels, separations) },
    ],
  };
}

/** To variance 1, both alike. */
function scaled(pairs: Float32Array): Float32Array {
  const variance = pairs.reduce((sum, value) => sum + value * value, 0) / pairs.length;
  return pairs.map((value) => value / Math.sqrt(variance));
}

async function panelOf(
  context: PaperContext,
  pairs: Float32Array,
  name: PairModel,
  separation: number,
): Promise<Panel> {
  const fitted = await fitPairModel(context, name, pairs);
  const inline = new InlineRunner(context.runner.kernels);
  const square = { bins, from: -reach, to: reach };
  const histogram = histogram2dOf(pairs, square);
  const density = await densityOnGrid((points) => logProb(inline, fitted, points), square);
  const { inBits } = klDivergence2d(histogram, density);
  return {
    ...{ separation, name, divergenceInBits: inBits },
    empirical: smoothed(histogram.density, smoothing),
    model: smoothed(density, smoothing),
    note: `KL ${inBits.toFixed(4).replace("-", "−")} bit`,
  };
}

function numberOf({ name, separation, divergenceInBits }: Panel): PaperNumber {
  return {
    name: `KL divergence of pairs from ${name}, separation ${separation}`,
    value: divergenceInBits,
    standardError: null,
    unit: "bits",
    paper: null,
    fit: null,
  };
}

function summaryOf(panels: readonly Panel[], separations: readonly number[]): string {
  const best = separations.map((separation) => {
    const own = panels.filter((panel) => panel.separation === separation);
    const [first, second] = own.toSorted((a, b) => a.divergenceInBits - b.divergenceInBits);
    return `${first.name} at d = ${separation} (next ${second.name}, by ${(second.divergenceInBits - first.divergenceInBits).toFixed(4)} bits)`;
  });
  return `Nearest to the histogram: ${best.join("; ")}. RG is elliptical, and right for neighbours; ICA-MG is separable, and right for coefficients far apart; GDN can be either.`;
}
