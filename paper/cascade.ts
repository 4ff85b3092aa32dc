/** §4.3, "Two-stage cascaded model", and its figure: marginals of the second stage. */
import { standardNormal } from "../src/evaluation/reference-densities.js";
import { barChart } from "../src/figures/bar-chart.js";
import { histogramChart } from "../src/figures/histogram-chart.js";
import type { Figure, ReportBlock } from "../src/figures/report-blocks.js";
import { prose } from "../src/figures/report-text.js";
import { thousands } from "../src/numbers/format-number.js";
import type { Experiment, ExperimentResult, PaperContext } from "./experiment.js";
import { aboutClaims, cascadeClaims } from "./parts/cascade-claims.js";
import { type CascadeInformation, nearest, pairKinds } from "./parts/cascade-information.js";
import { type CascadeMarginals, histogramFrom } from "./parts/cascade-marginals.js";
import { type MeasuredCascade, measureCascade } from "./parts/cascade-measures.js";
import { type CascadePlan, cascadeFits, sizeInWords } from "./parts/cascade-models.js";
import {
  aboutMarginals,
  cascadeNumbers,
  likelihoodTable,
  marginalTable,
} from "./parts/cascade-numbers.js";
import { type CascadeStage, cascadeStages } from "./parts/cascade-responses.js";
import { sampleBlocks } from "./parts/cascade-samples.js";
import { standardErrorOf } from "./parts/left-out.js";

const section = "§4.3, figure with marginals of the second stage";

export const cascade = cascadeExperiment(
  { experiment: "cascade", set: "kodak", size: "medium", isJoint: true },
  { title: "Two-stage cascade on whole images", minutes: { full: 12, quick: 1.5 } },
);

export const paperCascade = cascadeExperiment(
  { experiment: "cascade-paper", set: "kodak", size: "paper", isJoint: true },
  {
    title: "Two-stage cascade of the paper’s size",
    minutes: { full: 100, quick: null },
    isLong: true,
  },
);

export const vanHaterenCascade = cascadeExperiment(
  { experiment: "cascade-vanhateren", set: "vanhateren", size: "paper", isJoint: false },
  {
    title: "Two-stage cascade of the paper’s size, van Hateren’s photographs",
    minutes: { full: 50, quick: null },
    isLong: true,
  },
);

function cascadeExperiment(
  plan: CascadePlan,
  about: Pick<Experiment, "title" | "minutes" | "isLong">,
): Experiment {
  return {
    ...about,
    name: plan.experiment,
    section,
    data: [plan.set],
    run: (context) => run(context, plan),
  };
}

async function run(context: PaperContext, plan: CascadePlan): Promise<ExperimentResult> {
  const fits = await cascadeFits(context, plan);
  const measured = await measureCascade(context, fits);
  return {
    fits: fits.joint ? [fits.layered, fits.joint] : [fits.layered],
    numbers: cascadeNumbers(measured),
    hasTable: true,
    blocks: await blocksOf(context, measured),
  };
}

async function blocksOf(context: PaperContext, measured: MeasuredCascade): Promise<ReportBlock[]> {
  const { fits, heldOut, information } = measured;
  return [
    { kind: "paragraph", text: aboutModel(context, measured) },
    await marginalFigures(context, heldOut),
    { kind: "paragraph", text: aboutMarginals },
    marginalTable(measured),
    { kind: "paragraph", text: aboutClaims },
    cascadeClaims(measured),
    await informationFigure(context, information),
    likelihoodTable(measured),
    ...(await sampleBlocks(context, fits)),
  ];
}

const setsInWords = { kodak: "of the Kodak set", vanhateren: "by van Hateren" };

function aboutModel({ quick }: PaperContext, { fits, heldOut }: MeasuredCascade): string {
  const { layered, set, size } = fits;
  const [fittedTo, left] = [layered.images.length, layered.heldOut.length];
  const images = quick
    ? prose`
      ${fittedTo} of the photographs that come with the package. Statistics are of the middles of
      ${left} others
    `
    : `${fittedTo} photographs ${setsInWords[set]}. Statistics are of the other ${left}`;
  const theirs =
    size === "paper"
      ? "the sizes of the paper"
      : prose`
        a smaller cascade than the paper’s, which has 256 filters of 48×48 pixels, moved by 16, and
        9×9 locations
      `;
  return prose`
    CICA–GDN–CICA–GDN with ${sizeInWords(layered.model.transform)}: ${theirs}. The first CICA and
    GDN are fitted together, then the second CICA as independent components, then the second GDN to
    its responses. The data are ${images} (${thousands(heldOut["second GDN"].locations)} locations).
    The edges of pictures are joined. Only locations that are not influenced from the opposite edge
    are counted. The paper does not say which images it used, and shows its figure without numbers.
  `;
}

/** The paper's figure, one line for each filter, and below it the tails. */
async function marginalFigures(
  { document }: PaperContext,
  marginals: CascadeMarginals,
): Promise<ReportBlock> {
  const chart = async (stage: CascadeStage, logarithmic: boolean): Promise<Figure> => {
    const { histograms, overall } = marginals[stage];
    const members = histograms.map(histogramFrom);
    const series = [
      {
        label: `all ${members.length} filters`,
        histogram: histogramFrom(overall),
        members,
        // GDN has the first colour in all charts of the report.
        colour: stage === "second GDN" ? 0 : 1,
      },
    ];
    const title = `After the ${stage}${logarithmic ? ", tails" : ""}`;
    const xLabel = stage === "second GDN" ? "response" : "response, scaled to variance 1";
    const expected = standardNormal;
    return {
      svg: await histogramChart(document, { title, series, expected, xLabel, logarithmic }),
    };
  };
  const figures: Figure[] = [];
  for (const logarithmic of [false, true]) {
    figures.push(await chart("second CICA", logarithmic), await chart("second GDN", logarithmic));
  }
  return {
    kind: "figures",
    figures,
    caption: prose`
        The paper’s figure, and the same on logarithmic axes. Thin: the responses of each filter;
        thick: all of them together; dashed: a normal distribution. Left: responses of the second
        linear transform, across maps and locations of the first stage. They have heavy tails again.
        Right: after the second normalization, without scaling.
      `,
  };
}

/** A group of bars for each kind of pair, one bar for each stage. */
async function informationFigure(
  { document }: PaperContext,
  information: CascadeInformation,
): Promise<ReportBlock> {
  const of = (stage: CascadeStage) =>
    pairKinds.map((kind) => information[stage][kind].byNeighbours);
  const svg = await barChart(document, {
    groups: ["right", "below", "filter, right", "filter", "other image"],
    series: cascadeStages.map((stage) => ({
      label: stage,
      values: of(stage).map(({ value }) => value),
      errors: of(stage).map(standardErrorOf),
    })),
    xLabel: "second response of a pair",
    yLabel: "mutual information (bits)",
  });
  return {
    kind: "figure",
    svg,
    caption: prose`
      Mutual information of pairs of responses, by ${nearest} nearest neighbours, means over
      filters, ± one standard error. The second response of a pair is that of the same filter at the
      location to the right or below, or that of the next filter at the location to the right or at
      the same one. Responses in another image are independent; their value shows the error of the
      estimate. The first stage normalizes across maps, but not across locations.
    `,
  };
}
