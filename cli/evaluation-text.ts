/** The result of `gaussianize evaluate` as people read it. */
import { type Evaluation, measured } from "../src/index.js";
import { oneLine, thousands, wrapped } from "./text.js";

/** Images at either end of the order by likelihood. */
const shownImages = 3;

/** `seed` is that of random places; undefined where patches are on a grid. */
export function evaluationText(
  result: Evaluation,
  pathOf: (index: number) => string,
  seed: number | undefined,
): string {
  const sentences = [dequantizationText(result), sourceText(result, seed)];
  return [
    totalsText(result),
    sentences.map((sentence) => wrapped(sentence)).join("\n"),
    extremesText(result.images, pathOf),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

/** A figure with its unit; without a label it is another unit of the one before. */
export type TotalsRow = readonly [label: string, value: string, unit: string];

function totalsText(result: Evaluation): string {
  const { standardErrors: errors, codeLengthInBitsPerPixel: codeLength, dimension: n } = result;
  const difference = result.negentropyDifferencePerDimension;
  const rows: TotalsRow[] = [
    [
      "log-likelihood",
      measured(result.meanLogLikelihood, errors.meanLogLikelihood),
      `nats per patch of ${n} dimensions`,
    ],
    ["", measured(result.natsPerDimension, errors.meanLogLikelihood / n), "nats per dimension"],
    [
      "",
      measured(result.bitsPerPixel, errors.bitsPerPixel),
      "bits per pixel, of values from 0 to 1; higher is better",
    ],
    ...(codeLength === null
      ? []
      : [
          [
            "code length",
            measured(codeLength, errors.codeLengthInBitsPerPixel ?? NaN),
            "bits per pixel, of the codes; lower is better",
          ] as const,
        ]),
    [
      "ΔJ",
      measured(difference, errors.negentropyDifferencePerDimension),
      `nats per dimension, from the ${result.preprocessingStages > 0 ? "preprocessed " : ""}pixels on`,
    ],
  ];
  return rowsText(rows);
}

export function rowsText(rows: readonly TotalsRow[]): string {
  const widest = Math.max(...rows.map(([, value]) => value.length));
  return rows
    .map(([label, value, unit]) => `${label.padEnd(16)}${value.padStart(widest)}  ${unit}`)
    .join("\n");
}

export function dequantizationText({ dequantization }: Pick<Evaluation, "dequantization">): string {
  return dequantization === "uniform"
    ? "Dequantisation: uniform noise of one grey level (codes spread over their intervals)."
    : "Dequantisation: none: the likelihood is not that of a picture's codes.";
}

/** Positions of the patches in their images. */
export function sourceText(result: Evaluation, seed: number | undefined): string {
  const { patches, failedPatches, images, standardErrorsOver } = result;
  const where = seed === undefined ? "on a grid" : `at random places (seed ${seed})`;
  const of = images.length === 1 ? "1 image" : `${thousands(images.length)} images`;
  const failed = failedPatches > 0 ? `, ${thousands(failedPatches)} without a density` : "";
  const what = patches === 1 ? "1 patch" : `${thousands(patches)} patches`;
  return `${what} ${where} of ${of}${failed}; ± standard errors over ${standardErrorsOver}.`;
}

interface RankedImage {
  readonly index: number;
  readonly bitsPerPixel: number;
}

/** The most and the least likely; all of them where they are few. */
export function extremesText(
  images: readonly RankedImage[],
  pathOf: (index: number) => string,
): string {
  const ranked = images
    .filter(({ bitsPerPixel }) => !Number.isNaN(bitsPerPixel))
    .sort((a, b) => b.bitsPerPixel - a.bitsPerPixel);
  if (ranked.length < 2) return "";
  const line = ({ index, bitsPerPixel }: RankedImage): string =>
    `${bitsPerPixel.toFixed(3).replace("-", "−").padStart(8)}  ${oneLine(pathOf(index))}`;
  const isFew = ranked.length <= 2 * shownImages;
  const best = isFew ? ranked : ranked.slice(0, shownImages);
  const worst = isFew ? [] : ranked.slice(-shownImages);
  return [
    isFew
      ? "Log-likelihood in bits per pixel, from the most to the least likely image:"
      : "Most likely, log-likelihood in bits per pixel:",
    ...best.map(line),
    ...(isFew ? [] : ["Least likely:", ...worst.map(line)]),
  ].join("\n");
}
