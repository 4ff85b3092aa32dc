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
import { cascadeFits, cascadeSet, sizeInWords } from "./parts/cascade-models.js";
import {
  aboutMarginals,
  cascadeNumbers,
  likelihoodTable,
  marginalTable,
} from "./parts/cascade-numbers.js";
import { type CascadeStage, cascadeStages } from "./parts/cascade-responses.js";
import { sampleBlocks } from "./parts/cascade-samples.js";
import { standardErrorOf } from "./parts/left-out.js";

export const cascade: Experiment = {
  name: "cascade",
  title: "Two-stage cascade on whole images",
  section: "§4.3, figure with marginals of the second stage",
  data: [cascadeSet],
  minutes: { full: 120, quick: 1.5 },
  run,
};

async function run(context: PaperContext): Promise<ExperimentResult> {
  const all: MeasuredCascade[] = [];
  for (const fits of await cascadeFits(context)) all.push(await measureCascade(context, fits));
  const blocks: ReportBlock[] = [];
  // The largest cascade first: the paper's size, if there is one.
  for (const measured of [...all].reverse()) blocks.push(...(await blocksOf(context, measured)));
  const numbers = all.flatMap(cascadeNumbers);
  const fits = all.flatMap(({ fits: { layered, joint } }) =>
    joint ? [layered, joint] : [layered],
  );
  return { fits, numbers, hasTable: true, blocks };
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

function aboutModel({ quick }: PaperContext, { fits, heldOut }: MeasuredCascade): string {
  const { layered, size } = fits;
  const [fittedTo, left] = [layered.images.length, layered.heldOut.length];
  const images = quick
    ? prose`
      ${fittedTo} of the photographs that come with the package. Statistics are of the middles of
      ${left} others
    `
    : `${fittedTo} photographs of the Kodak set. Statistics are of the other ${left}`;
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
    groups: ["right", "below", "next filter", "other image"],
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
      Mutual information of responses at neighbouring locations, by ${nearest} nearest neighbours,
      means over filters, ± one standard error. The second response of a pair is that of the same
      filter at the location to the right or below, or that of the next filter at the location to
      the right. Responses in another image are independent; their value shows the error of the
      estimate. The first stage normalizes across maps, but not across locations.
    `,
  };
}
