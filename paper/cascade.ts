/** §4.3, "Two-stage cascaded model", and its figure: marginals of the second stage, before and after its normalization. */
import type { ReportBlock } from "../src/index.js";
import type { Experiment, ExperimentResult, PaperContext } from "./experiment.js";
import { aboutClaims, cascadeClaims } from "./parts/cascade-claims.js";
import { informationFigure, marginalFigures } from "./parts/cascade-figures.js";
import { sampleBlocks } from "./parts/cascade-samples.js";
import { type MeasuredCascade, measureCascade } from "./parts/cascade-measures.js";
import { cascadeFits, cascadeSet, sizeInWords } from "./parts/cascade-models.js";
import {
  aboutMarginals,
  cascadeNumbers,
  likelihoodTable,
  marginalTable,
} from "./parts/cascade-numbers.js";

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
  // The paper's size first, where it is there.
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
    ? `${fittedTo} of the photographs that come with the package; statistics are of the middles of ${left} others`
    : `${fittedTo} photographs of the Kodak set; statistics are of the other ${left}`;
  const theirs =
    size === "paper"
      ? "the sizes of the paper"
      : "a smaller cascade than the paper’s, which has 256 filters of 48×48 pixels, moved by 16, and 9×9 locations";
  return `CICA–GDN–CICA–GDN with ${sizeInWords(layered.model.transform)}: ${theirs}. The first CICA and GDN are fitted together, after them the second CICA as independent components, then the second GDN to its responses, to ${images} (${heldOut["second GDN"].locations.toLocaleString("en-US")} locations). Edges of pictures are joined; only locations that no stage reaches from the opposite edge are counted. The paper does not say which images it took, and shows its figure without numbers.`;
}
