/** The result of `gaussianize evaluate` for one model, as text. */
import type { Evaluation } from "../../src/evaluation/evaluation.js";
import { fixed, measured, thousands } from "../../src/numbers/format-number.js";
import { counted, oneLine, wrapped } from "../text.js";

/** Number of most and of least likely images to show. */
const shownImages = 3;

/** `seed` is the seed of random places; undefined for a grid. */
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

/** A figure with its unit; an empty label means another unit of the figure above. */
type TotalsRow = readonly [label: string, value: string, unit: string];

function totalsText(result: Evaluation): string {
  const { kind, standardErrors: errors, codeLengthInBitsPerPixel: codeLength } = result;
  const isOfPatches = kind === "patches";
  const nats = measured(result.natsPerDimension, errors.natsPerDimension);
  const perPatch = measured(result.meanLogLikelihood, errors.meanLogLikelihood);
  const rows: TotalsRow[] = isOfPatches
    ? [
        ["log-likelihood", perPatch, `nats per patch of ${result.dimension} dimensions`],
        ["", nats, "nats per pixel"],
      ]
    : [["log-likelihood", nats, "nats per pixel of whole images"]];
  const bits = measured(result.bitsPerPixel, errors.bitsPerPixel);
  rows.push(["", bits, "bits per pixel, for values from 0 to 1; higher is better"]);
  if (codeLength !== null) {
    const length = measured(codeLength, errors.codeLengthInBitsPerPixel ?? NaN);
    rows.push(["code length", length, "bits per pixel, of a lossless code; lower is better"]);
  }
  for (const [format, size] of Object.entries(result.fileBitsPerPixel ?? {})) {
    rows.push([
      formatNames[format] ?? format,
      fixed(size, 3),
      "bits per pixel, of files with the same greys",
    ]);
  }
  const difference = measured(
    result.negentropyDifferencePerDimension,
    errors.negentropyDifferencePerDimension,
  );
  const from = result.preprocessingStages > 0 ? "preprocessed pixels" : "pixels";
  rows.push(["ΔJ", difference, `nats per pixel, relative to the ${from}; lower is better`]);
  return rowsText(rows);
}

const formatNames: Readonly<Record<string, string>> = {
  png: "PNG",
  webp: "lossless WebP",
  jxl: "JPEG XL",
};

function rowsText(rows: readonly TotalsRow[]): string {
  const widest = Math.max(...rows.map(([, value]) => value.length));
  return rows
    .map(([label, value, unit]) => `${label.padEnd(16)}${value.padStart(widest)}  ${unit}`)
    .join("\n");
}

export function dequantizationText({ dequantization }: Pick<Evaluation, "dequantization">): string {
  return dequantization === "uniform"
    ? "Dequantisation: uniform noise of one grey level."
    : "Dequantisation: none, so the likelihood says nothing about a picture's codes.";
}

/** Names the number and places of patches, or the parts of whole images. */
export function sourceText(result: Evaluation, seed: number | undefined): string {
  const { samples, failedSamples, images, standardErrorsOver } = result;
  const of = counted(images.length, "image");
  if (result.kind === "images") return `${of}, ${partsText(result)}.`;
  const where = seed === undefined ? "on a grid" : `at random places (seed ${seed})`;
  const failed = failedSamples > 0 ? `, ${thousands(failedSamples)} without a density` : "";
  return `${counted(samples, "patch", "patches")} ${where} of ${of}${failed}; ± standard errors over ${standardErrorsOver}.`;
}

function partsText({ samples, failedSamples, values, dimension }: Evaluation): string {
  const stride = Math.sqrt(dimension);
  const failed = failedSamples > 0 ? `, ${thousands(failedSamples)} of them without a density` : "";
  const errors = samples - failedSamples > 1 ? "; ± standard errors over images" : "";
  const part =
    stride === 1 ? "all of each" : `the middle of each, cut to multiples of ${stride} pixels`;
  return `${thousands(values)} pixels${failed}: ${part}, with its edges joined${errors}`;
}

interface RankedImage {
  readonly index: number;
  readonly bitsPerPixel: number;
}

/** Lists the most and the least likely images, or all if there are few. */
function extremesText(images: readonly RankedImage[], pathOf: (index: number) => string): string {
  const ranked = images
    .filter(({ bitsPerPixel }) => !Number.isNaN(bitsPerPixel))
    .sort((a, b) => b.bitsPerPixel - a.bitsPerPixel);
  if (ranked.length < 2) return "";
  const line = ({ index, bitsPerPixel }: RankedImage): string =>
    `${fixed(bitsPerPixel, 3).padStart(8)}  ${oneLine(pathOf(index))}`;
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
