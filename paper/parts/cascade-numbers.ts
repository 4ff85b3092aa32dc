/** The numbers of the experiment on cascades: for results.json, and as tables. */
import type { ReportBlock } from "../../src/figures/report-blocks.js";
import { prose } from "../../src/figures/report-text.js";
import { withMinus, measured as measuredText } from "../../src/numbers/format-number.js";
import { errorOfMean, meanOf } from "../../src/numbers/means.js";
import type { PaperNumber } from "../experiment.js";
import { pairKinds } from "./cascade-information.js";
import { type CascadeMarginals, isLinear } from "./cascade-marginals.js";
import type { Likelihoods, MeasuredCascade } from "./cascade-measures.js";
import { type CascadeStage, cascadeStages } from "./cascade-responses.js";
import { type LeftOut, combined, standardErrorOf } from "./left-out.js";

/** KL divergence of the second CICA's responses / KL divergence of the second GDN's. */
export function divergenceRatio(marginals: CascadeMarginals): LeftOut {
  const numbers = [marginals["second CICA"].divergence, marginals["second GDN"].divergence];
  return combined(numbers, ([before, after]) => before / after);
}

export function cascadeNumbers(cascade: MeasuredCascade): PaperNumber[] {
  return [
    ...marginalNumbers(cascade, "heldOut"),
    ...marginalNumbers(cascade, "fitted"),
    ...informationNumbers(cascade),
    ...likelihoodNumbers(cascade),
    ...cascade.trips.map(({ fit, trip }) => ({
      name: `round trip of a whole image, ${fit.title}`,
      value: trip.largest,
      standardError: null,
      unit: "of the largest value",
      paper: null,
      fit,
    })),
  ];
}

function marginalNumbers(
  { fits, ...of }: MeasuredCascade,
  images: "heldOut" | "fitted",
): PaperNumber[] {
  const where = `${images === "heldOut" ? "images left out" : "images fitted to"}, ${fits.size}`;
  const number = (name: string, from: LeftOut, unit: string): PaperNumber => ({
    name: `${name}, ${where}`,
    value: from.value,
    standardError: finiteOrNull(standardErrorOf(from)),
    unit,
    paper: null,
    fit: fits.layered,
  });
  const second: readonly CascadeStage[] = ["second CICA", "second GDN"];
  return [
    ...second.map((stage) =>
      number(`KL divergence of ${stage} from normal`, of[images][stage].divergence, "nats"),
    ),
    number("their quotient", divergenceRatio(of[images]), ""),
    number(
      "KL divergence of second GDN, scaled to variance 1",
      of[images]["second GDN"].scaledDivergence,
      "nats",
    ),
    ...second.map((stage) =>
      number(`excess kurtosis of ${stage}`, of[images][stage].excessKurtosis, ""),
    ),
  ];
}

function informationNumbers({ fits, information }: MeasuredCascade): PaperNumber[] {
  const stages: readonly CascadeStage[] = ["first GDN", "second GDN"];
  return stages.flatMap((stage) =>
    pairKinds.map((kind) => {
      const bits = information[stage][kind].byNeighbours;
      return {
        name: `mutual information after ${stage}, ${kind}, ${fits.size}`,
        value: bits.value,
        standardError: finiteOrNull(standardErrorOf(bits)),
        unit: "bits",
        paper: null,
        fit: fits.layered,
      };
    }),
  );
}

function likelihoodNumbers({ fits, likelihoods }: MeasuredCascade): PaperNumber[] {
  return likelihoods.flatMap(({ title, fit, fitted, heldOut }) =>
    [
      { where: "images left out", values: heldOut },
      { where: "images fitted to", values: fitted },
    ].map(({ where, values }) => ({
      name: `log-likelihood of ${title}, ${where}, ${fits.size}`,
      value: meanOf(values),
      standardError: finiteOrNull(errorOfMean(values)),
      unit: "nats per pixel",
      paper: null,
      fit,
    })),
  );
}

/** A single image or group has no standard error. */
function finiteOrNull(error: number): number | null {
  return Number.isFinite(error) ? error : null;
}

export function textOf(number: LeftOut): string {
  return unbroken(measuredText(number.value, standardErrorOf(number)));
}

export function unbroken(text: string): string {
  return text.replaceAll(" ± ", "\u00a0±\u00a0");
}

const bothSets = [
  ["heldOut", "left out"],
  ["fitted", "fitted to"],
] as const;

/** A paragraph, since on a phone a caption would be as wide as its table. */
export const aboutMarginals = prose`
    Divergence of the responses of each filter from a normal distribution (of histograms, after bias
    correction) and excess kurtosis: means over the filters ± one standard error, from leaving out
    images, then the median and the worst filter. The scale of a linear transform is arbitrary, so
    responses of CICA are scaled to variance 1. The output of GDN should be standard normal without
    scaling; with scaling, only its shape counts.
  `;

export function marginalTable(of: Pick<MeasuredCascade, "heldOut" | "fitted">): ReportBlock {
  return {
    kind: "table",
    columns: [
      { label: "responses of" },
      { label: "images" },
      { label: "KL", unit: "nats" },
      { label: "KL", unit: "median; worst" },
      { label: "KL", unit: "variance 1" },
      { label: "kurtosis", unit: "excess" },
      { label: "kurtosis", unit: "median; worst" },
    ],
    rows: bothSets.flatMap(([images, words]) =>
      cascadeStages.map((stage) => {
        const { divergence, scaledDivergence, excessKurtosis, median, worst } = of[images][stage];
        const ofFilters = (name: keyof typeof median): string =>
          [median, worst].map((values) => withMinus(values[name].toPrecision(2))).join("; ");
        return [
          stage,
          words,
          textOf(divergence),
          ofFilters("divergence"),
          isLinear(stage) ? "–" : textOf(scaledDivergence),
          textOf(excessKurtosis),
          ofFilters("excessKurtosis"),
        ];
      }),
    ),
  };
}

/** Mean gain in likelihood, image by image, since images differ far more than models. */
export function gainOf(
  more: Likelihoods,
  less: Likelihoods,
  on: "heldOut" | "fitted",
): { readonly value: number; readonly error: number } {
  const gains = more[on].map((value, k) => value - less[on][k]);
  return { value: meanOf(gains), error: errorOfMean(gains) };
}

export function likelihoodTable({ likelihoods }: MeasuredCascade): ReportBlock {
  const [one] = likelihoods;
  const gain = (of: Likelihoods, on: "heldOut" | "fitted"): string => {
    if (of === one) return "–";
    const { value, error } = gainOf(of, one, on);
    return unbroken(measuredText(value, error));
  };
  return {
    kind: "table",
    caption: prose`
        Log-likelihood of whole images with joined edges, in nats per pixel of linear luminance from
        0 to 1, with dequantisation noise; and the gain over one stage, image by image.
      `,
    columns: [
      { label: "cascade" },
      { label: "left out", unit: "nats per pixel" },
      { label: "gain", unit: "left out" },
      { label: "fitted to", unit: "nats per pixel" },
      { label: "gain", unit: "fitted to" },
    ],
    rows: likelihoods.map((each) => [
      each.title,
      withMinus(meanOf(each.heldOut).toFixed(3)),
      gain(each, "heldOut"),
      withMinus(meanOf(each.fitted).toFixed(3)),
      gain(each, "fitted"),
    ]),
  };
}
