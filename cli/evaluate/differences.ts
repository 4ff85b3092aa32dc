/** How much likelier the images are under each model than under the first one. */
import { type PairedDifference, pairedDifference } from "../../src/evaluation/paired-difference.js";
import type { Evaluated } from "./evaluated.js";

export interface Difference {
  readonly model: string;
  /** The model that the difference is from. */
  readonly baseline: string;
  /** In nats for a patch; null where models have other patches than each other, or whole images. */
  readonly meanLogLikelihood: number | null;
  readonly bitsPerPixel: number;
  readonly standardErrors: {
    readonly meanLogLikelihood: number | null;
    readonly bitsPerPixel: number;
  };
  readonly standardErrorsOver: "images" | "patches";
  /** Patches or images that were compared: those with a density under both models. */
  readonly compared: number;
}

/** Patch by patch where `isSame` says that all models had the same ones; else image by image. */
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

/** Image by image, each with the weight that it has in the first mean. */
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
