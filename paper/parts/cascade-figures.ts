/** The pictures of the experiment on cascades. */
import {
  type Figure,
  type ReportBlock,
  barChart,
  histogramChart,
  standardNormal,
} from "../../src/index.js";
import type { PaperContext } from "../experiment.js";
import { type CascadeInformation, nearest, pairKinds } from "./cascade-information.js";
import { type CascadeMarginals, histogramFrom } from "./cascade-marginals.js";
import { type CascadeStage, cascadeStages } from "./cascade-stages.js";
import { standardErrorOf } from "./left-out.js";

/** The paper's figure: every filter a line, left before and right after the second normalization; below it the tails. */
export async function marginalFigures(
  { document }: PaperContext,
  marginals: CascadeMarginals,
): Promise<ReportBlock> {
  const chart = async (stage: CascadeStage, logarithmic: boolean): Promise<Figure> => {
    const { histograms, overall } = marginals[stage];
    const members = histograms.map(histogramFrom);
    const series = [
      {
        label: `all ${members.length} filters`,
        ...{ histogram: histogramFrom(overall), members },
        // The GDN has the first colour in all charts of the report.
        colour: stage === "second GDN" ? 0 : 1,
      },
    ];
    const title = `${stage === "second GDN" ? "After the second GDN" : "After the second CICA"}${logarithmic ? ", tails" : ""}`;
    const xLabel = stage === "second GDN" ? "response" : "response, scaled to variance 1";
    const expected = standardNormal;
    return {
      svg: await histogramChart(document, { ...{ title, series, expected, xLabel, logarithmic } }),
    };
  };
  return {
    kind: "figures",
    figures: [
      await chart("second CICA", false),
      await chart("second GDN", false),
      await chart("second CICA", true),
      await chart("second GDN", true),
    ],
    caption:
      "The paper’s figure, and the same on logarithmic ordinates. Thin: the responses of each filter; thick: all of them together; dashed: a normal distribution. Left: what a second linear transform finds in the normalized responses of the first stage, across maps and locations: heavy tails again. Right: after the second normalization, as it is.",
  };
}

/** Bars for each kind of pair, the stages side by side. */
export async function informationFigure(
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
    caption: `What responses at neighbouring locations tell about each other, by ${nearest} nearest neighbours, means over filters, ± one standard error. The second response of a pair is that of the same filter at the location to the right or below, or that of the next filter to the right; in another image there is nothing to find, and what the estimate makes of it is its floor. The first stage normalizes across maps, but not across locations.`,
  };
}
