/** The pictures of the experiment on cascades. */
import {
  type Figure,
  type GreyPixels,
  type ReportBlock,
  asDisplayed,
  barChart,
  centralCrop,
  histogramChart,
  pictureOf,
  sampleImage,
  standardNormal,
} from "../../src/index.js";
import type { PaperContext } from "../experiment.js";
import { type CascadeInformation, nearest, pairKinds } from "./cascade-information.js";
import { type CascadeMarginals, histogramFrom } from "./cascade-marginals.js";
import { type CascadeFits, stagesToCompare } from "./cascade-models.js";
import { type CascadeStage, cascadeStages } from "./cascade-stages.js";
import { cascadeImages } from "./cascade-responses.js";
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

/** Of a picture on the page, about. */
const pictureSide = { full: 336, quick: 160 };

/** A photograph, and draws from each density: all with the same greys. */
export async function sampleFigures(
  context: PaperContext,
  fits: CascadeFits,
): Promise<ReportBlock> {
  const { runner, seed, signal, quick } = context;
  const { stride } = fits.layered.model.transform;
  const wanted = quick ? pictureSide.quick : pictureSide.full;
  const side = Math.floor(wanted / stride) * stride;
  const size = { width: side, height: side };
  const zoom = quick ? 2 : 1;
  const [photograph] = await cascadeImages(context, fits.layered, fits.layered.heldOut.slice(0, 1));
  const shown = (image: GreyPixels, caption: string): Figure => {
    const { width, height, pixels } = image;
    const displayed = { width, height, pixels: asDisplayed(pixels) };
    return { ...pictureOf(displayed, `${caption}, ${width}×${height} pixels.`, zoom), caption };
  };
  const figures = [shown(centralCrop(photograph, size), "a photograph that was left out")];
  const stages = stagesToCompare(fits);
  const report = context.progress("drawing images", stages.length);
  for (const { title, transform } of stages) {
    const drawn = await sampleImage(runner, transform, { ...size, seed, signal });
    figures.push(shown(drawn, title));
    report(figures.length - 1);
  }
  return {
    kind: "figures",
    figures,
    caption: `A detail of a photograph, and draws of the same size, ${side}×${side} pixels, from the densities of one and of two stages, all from the same normal field (seed ${seed}), linear light through the sRGB curve. Locations of one stage are drawn independently of each other, but for the overlap of its filters; the second stage has structure that is longer than a filter.`,
  };
}
