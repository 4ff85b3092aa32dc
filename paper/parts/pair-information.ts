/**
 * §4.1: mutual information of pairs of wavelet coefficients after each transform, at each
 * separation.
 */
import type { PairInformation } from "../../src/evaluation/mutual-information/groups.js";
import { pairInformations } from "../../src/evaluation/mutual-information/information-job.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import { jackknifeError, meanOf } from "../../src/numbers/means.js";
import type { PaperContext } from "../experiment.js";
import { groupStarts } from "./left-out.js";
import { type PairTransform, pairTransforms, transformedPairs } from "./pair-transforms.js";
import type { WaveletPairs } from "./wavelet-pairs.js";

/**
 * An estimate in bits, and what it is without each group of images: enough for errors of means and
 * of differences.
 */
export interface Estimate {
  readonly inBits: number;
  readonly without: readonly number[];
}

export const estimators = ["byNeighbours", "byHistogram"] as const;
export type Estimator = (typeof estimators)[number];

/** Of each orientation. */
type Estimates = Readonly<Record<Estimator, readonly Estimate[]>>;

/**
 * Of all transforms at one separation. "across" are pairs whose second coefficient is from another
 * image: nothing is to be found there.
 */
export interface Measured {
  readonly separation: number;
  readonly of: Readonly<Record<PairTransform | "across", Estimates>>;
}

/** Of the estimate by nearest neighbours: more of them, less noise. */
export const neighbours = 8;

export async function measurePairs(
  context: PaperContext,
  pairs: WaveletPairs,
  orientations: readonly number[],
  separations: readonly number[],
): Promise<Measured[]> {
  const perSeparation = orientations.length * (pairTransforms.length + 1);
  const report = context.progress("mutual information", separations.length * perSeparation);
  const measured: Measured[] = [];
  for (const [k, separation] of separations.entries()) {
    measured.push(
      await context.part("mutual-information", String(separation), () => {
        const sets = orientations.map((orientation) => pairs.at(orientation, separation));
        return atSeparation(context, pairs, sets, separation, (done) => {
          report(Math.floor((k + done) * perSeparation));
        });
      }),
    );
    report((k + 1) * perSeparation);
  }
  return measured;
}

/** Half of the time goes into fits, half into estimates. */
async function atSeparation(
  context: PaperContext,
  pairs: WaveletPairs,
  sets: readonly Float32Array[],
  separation: number,
  onPart: (part: number) => void,
) {
  const names = ["across", ...pairTransforms] as const;
  const all: FloatArray[] = [];
  for (const set of sets) {
    for (const name of names) {
      const y =
        name === "across"
          ? acrossImages(set, pairs.pairsPerImage)
          : await transformedPairs(context, name, set);
      all.push(y);
      onPart((0.5 * all.length) / (sets.length * names.length));
    }
  }
  const { runner, signal } = context;
  const groups = groupsOf(pairs);
  const found = await pairInformations(runner, all, {
    neighbours,
    groups,
    signal,
    onProgress: (done, total) => {
      onPart(0.5 + (0.5 * done) / total);
    },
  });
  const estimatesOf = (name: (typeof names)[number], estimator: Estimator): Estimate[] =>
    sets.map((_, k) => plain(found[k * names.length + names.indexOf(name)][estimator]));
  const of = Object.fromEntries(
    names.map((name) => [
      name,
      Object.fromEntries(estimators.map((estimator) => [estimator, estimatesOf(name, estimator)])),
    ]),
  );
  // Every name is there: it was made from the list of them.
  return { separation, of: of as Record<PairTransform | "across", Record<Estimator, Estimate[]>> };
}

function plain({ inBits, withoutGroupsInBits }: PairInformation): Estimate & { without: number[] } {
  return { inBits, without: Array.from(withoutGroupsInBits ?? []) };
}

/** Neighbouring images together. */
function groupsOf({ images, pairsPerImage }: WaveletPairs): number[] {
  const starts = groupStarts(images);
  return starts.slice(1).map((end, g) => (end - starts[g]) * pairsPerImage);
}

/** The first coordinates with the second ones of the next image. */
export function acrossImages<T extends FloatArray>(pairs: T, pairsPerImage: number): T {
  const across = pairs.slice() as T;
  for (let k = 1; k < pairs.length; k += 2) {
    across[k] = pairs[(k + 2 * pairsPerImage) % pairs.length];
  }
  return across;
}

/** Over orientations. */
export function meanEstimate(of: readonly Estimate[]): Estimate {
  return {
    inBits: meanOf(of.map(({ inBits }) => inBits)),
    without: of[0].without.map((_, g) => meanOf(of.map(({ without }) => without[g]))),
  };
}

/** The same images are left out of both. */
export function differenceOf(a: Estimate, b: Estimate): Estimate {
  return {
    inBits: a.inBits - b.inBits,
    without: a.without.map((value, g) => value - b.without[g]),
  };
}

export function errorOf({ without }: Estimate): number {
  return jackknifeError(without);
}
