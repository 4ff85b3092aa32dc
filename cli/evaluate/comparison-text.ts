/** Several models side by side, as people read them. */
import { subjectOf } from "../../src/density/model-files/model-reading.js";
import { measured, thousands } from "../../src/numbers/format-number.js";
import { oneLine, wrapped } from "../text.js";
import type { Difference } from "./differences.js";
import type { Evaluated } from "./evaluated.js";
import { dequantizationText, sourceText } from "./text.js";

/** `seed` is that of random places; undefined where patches are on a grid. */
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
      hasPatches ? "nats per dimension" : "nats per pixel",
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

/**
 * Names to the left, numbers to the right. A row of one cell is a heading, and makes no column
 * wider.
 */
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
  const { length } = evaluated[0].result.images;
  const images = length === 1 ? "1 image" : `${thousands(length)} images`;
  return `The models are densities of ${[...new Set(pieces)].join(" and of ")}, here of ${images}: only bits per pixel can be compared.`;
}

function pairingText(
  [{ standardErrorsOver }]: readonly Difference[],
  hasPatches: boolean,
  isSame: boolean,
): string {
  const unit = hasPatches ? "patch by patch" : "image by image";
  // What the models have in common has told the same already.
  const errors = isSame ? "" : `; ± standard errors over ${standardErrorsOver}`;
  return `Differences are taken ${unit}${errors}. Higher log-likelihoods, shorter codes and lower ΔJ are better.`;
}
