/** Compares several models: the difference of each from the first one, and a table. */
import { subjectOf } from "../../src/density/model-files/model-reading.js";
import { type PairedDifference, pairedDifference } from "../../src/evaluation/paired-difference.js";
import { measured } from "../../src/numbers/format-number.js";
import { counted, oneLine, wrapped } from "../text.js";
import type { Evaluated } from "./evaluated.js";
import { dequantizationText, sourceText } from "./text.js";

export interface Difference {
  readonly model: string;
  /** First model, which is subtracted. */
  readonly baseline: string;
  /** Nats per patch; null for patches of different sizes, and for whole images. */
  readonly meanLogLikelihood: number | null;
  readonly bitsPerPixel: number;
  readonly standardErrors: {
    readonly meanLogLikelihood: number | null;
    readonly bitsPerPixel: number;
  };
  readonly standardErrorsOver: "images" | "patches";
  /** Number of patches or images with a density under both models. */
  readonly compared: number;
}

/** Compares patch by patch if `isSame` says that all models have the same ones, or by image. */
export function differencesOf(
  [first, ...others]: readonly Evaluated[],
  isSame: boolean,
): readonly Difference[] {
  return others.map((other) => ({
    model: other.path,
    baseline: first.path,
    ...(isSame ? ofPatches(first, other) : ofImages(first, other)),
  }));
}

type Found = Omit<Difference, "model" | "baseline">;

function ofPatches(first: Evaluated, second: Evaluated): Found {
  if (first.density.kind === "images" || !first.rows || !second.rows)
    return ofImages(first, second);
  const { image, logProb } = first.rows;
  const found = pairedDifference({ first: logProb, second: second.rows.logProb, image });
  const { dimension } = first.result;
  return {
    meanLogLikelihood: found.mean,
    ...commonOf(found, dimension * Math.LN2, found.standardError),
  };
}

/** Weights images as the mean of the first model does. */
function ofImages(first: Evaluated, second: Evaluated): Found {
  const theirs = new Map(second.result.images.map((image) => [image.index, image.bitsPerPixel]));
  const { images } = first.result;
  const found = pairedDifference({
    first: images.map(({ bitsPerPixel }) => bitsPerPixel),
    second: images.map(({ index }) => theirs.get(index) ?? NaN),
    image: images.map(({ index }) => index),
    weights: images.map(({ part, samples }) => (part ? part.width * part.height : samples)),
  });
  return { meanLogLikelihood: null, ...commonOf(found, 1, null) };
}

function commonOf(
  { mean, standardError, standardErrorOver, samples }: PairedDifference,
  bits: number,
  meanLogLikelihood: number | null,
): Omit<Found, "meanLogLikelihood"> {
  return {
    bitsPerPixel: mean / bits,
    standardErrors: { meanLogLikelihood, bitsPerPixel: standardError / bits },
    standardErrorsOver: standardErrorOver,
    compared: samples,
  };
}

/** `seed` is the seed of random places; undefined for a grid. */
export function comparisonText(
  evaluated: readonly Evaluated[],
  differences: readonly Difference[],
  isSame: boolean,
  seed: number | undefined,
): string {
  const [first] = evaluated;
  const hasPatches = isSame && first.result.kind === "patches";
  const hasCodes = evaluated.some(({ result }) => result.codeLengthInBitsPerPixel !== null);
  const table = [
    ...headingOf(hasPatches, hasCodes),
    ...evaluated.map((each) => rowOf(each, hasPatches, hasCodes)),
    [],
    [`difference from ${oneLine(first.path)}`],
    ...differences.map((each) => differenceRow(each, hasPatches)),
  ];
  const sentences = [
    dequantizationText(first.result),
    isSame ? sourceText(first.result, seed) : otherPieces(evaluated),
    pairingText(differences, hasPatches, isSame),
  ];
  return [tableText(table), sentences.map((sentence) => wrapped(sentence)).join("\n")].join("\n\n");
}

function headingOf(hasPatches: boolean, hasCodes: boolean): string[][] {
  return [
    [
      "model",
      ...(hasPatches ? ["log-likelihood"] : []),
      "log-likelihood",
      ...(hasCodes ? ["code length"] : []),
      "ΔJ",
    ],
    [
      "",
      ...(hasPatches ? ["nats per patch"] : []),
      "bits per pixel",
      ...(hasCodes ? ["bits per pixel"] : []),
      "nats per pixel",
    ],
  ];
}

function rowOf({ path, result }: Evaluated, hasPatches: boolean, hasCodes: boolean): string[] {
  const { standardErrors: errors, codeLengthInBitsPerPixel: codeLength } = result;
  return [
    oneLine(path),
    ...(hasPatches ? [measured(result.meanLogLikelihood, errors.meanLogLikelihood)] : []),
    measured(result.bitsPerPixel, errors.bitsPerPixel),
    ...(hasCodes ? [measured(codeLength ?? NaN, errors.codeLengthInBitsPerPixel ?? NaN)] : []),
    measured(result.negentropyDifferencePerDimension, errors.negentropyDifferencePerDimension),
  ];
}

function differenceRow(
  { model, meanLogLikelihood, bitsPerPixel, standardErrors }: Difference,
  hasPatches: boolean,
): string[] {
  const nats = measured(meanLogLikelihood ?? NaN, standardErrors.meanLogLikelihood ?? NaN);
  const bits = measured(bitsPerPixel, standardErrors.bitsPerPixel);
  return [oneLine(model), ...(hasPatches ? [nats] : []), bits];
}

/** Aligns names left and numbers right. A row of one cell is a heading and widens no column. */
function tableText(rows: readonly (readonly string[])[]): string {
  const full = rows.filter(({ length }) => length > 1);
  const widths = full[0].map((_, k) => Math.max(...full.map((row) => row[k]?.length ?? 0)));
  return rows
    .map((row) =>
      row.length === 1
        ? row[0]
        : row
            .map((cell, k) => (k === 0 ? cell.padEnd(widths[k]) : cell.padStart(widths[k])))
            .join("  ")
            .trimEnd(),
    )
    .join("\n");
}

function otherPieces(evaluated: readonly Evaluated[]): string {
  const pieces = evaluated.map(({ density }) => subjectOf(density.model) ?? "patches");
  const images = counted(evaluated[0].result.images.length, "image");
  return `The models are densities of ${[...new Set(pieces)].join(" and of ")}, evaluated on ${images}: only bits per pixel can be compared.`;
}

function pairingText(
  [{ standardErrorsOver }]: readonly Difference[],
  hasPatches: boolean,
  isSame: boolean,
): string {
  const unit = hasPatches ? "patch by patch" : "image by image";
  // `sourceText` has named the standard errors of models with the same patches.
  const errors = isSame ? "" : `; ± standard errors over ${standardErrorsOver}`;
  return `Differences are taken ${unit}${errors}. Higher log-likelihoods, shorter codes and lower ΔJ are better.`;
}
