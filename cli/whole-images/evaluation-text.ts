/** The result of `gaussianize evaluate` with a model of whole images, as people read it. */
import { type WholeImageEvaluation, measured } from "../../src/index.js";
import { type TotalsRow, dequantizationText, extremesText, rowsText } from "../evaluation-text.js";
import { thousands, wrapped } from "../text.js";

export function wholeImagesText(
  result: WholeImageEvaluation,
  pathOf: (index: number) => string,
  stride: number,
): string {
  const sentences = [dequantizationText(result), wholeSourceText(result, stride)];
  return [
    totalsText(result),
    sentences.map((sentence) => wrapped(sentence)).join("\n"),
    extremesText(result.images, pathOf),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

function totalsText(result: WholeImageEvaluation): string {
  const { standardErrors: errors, codeLengthInBitsPerPixel: codeLength } = result;
  const rows: TotalsRow[] = [
    [
      "log-likelihood",
      measured(result.natsPerPixel, errors.natsPerPixel),
      "nats per pixel of whole images",
    ],
    [
      "",
      measured(result.bitsPerPixel, errors.bitsPerPixel),
      "bits per pixel, of values from 0 to 1; higher is better",
    ],
  ];
  if (codeLength !== null) {
    const error = errors.codeLengthInBitsPerPixel ?? NaN;
    const unit = "bits per pixel, of the codes; lower is better";
    rows.push(["code length", measured(codeLength, error), unit]);
  }
  const from = result.preprocessingStages > 0 ? "preprocessed pixels" : "pixels";
  rows.push([
    "ΔJ",
    measured(result.negentropyDifferencePerPixel, errors.negentropyDifferencePerPixel),
    `nats per pixel, from the ${from} on`,
  ]);
  return rowsText(rows);
}

/** Which parts of the images were taken. */
export function wholeSourceText(result: WholeImageEvaluation, stride: number): string {
  const { images, pixels, failedImages } = result;
  const what = images.length === 1 ? "1 image" : `${thousands(images.length)} images`;
  const failed = failedImages > 0 ? `, ${thousands(failedImages)} of them without a density` : "";
  const errors = images.length - failedImages > 1 ? "; ± standard errors over images" : "";
  const part =
    stride === 1 ? "all of each" : `the middle of each, cut to multiples of ${stride} pixels`;
  return `${what}, ${thousands(pixels)} pixels${failed}: ${part}, with its edges joined${errors}.`;
}
