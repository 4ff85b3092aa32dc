/** §4.1: mutual information of pairs of wavelet coefficients after each transform. */
import type { PairInformation } from "../../src/evaluation/mutual-information/groups.js";
import { pairInformations } from "../../src/evaluation/mutual-information/information-job.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import type { PaperContext } from "../experiment.js";
import { type LeftOut, groupStarts, recordOf } from "./left-out.js";
import { type PairTransform, pairTransforms, transformedPairs } from "./pair-transforms.js";
import type { WaveletPairs } from "./wavelet-pairs.js";

export const estimators = ["byNeighbours", "byHistogram"] as const;
export type Estimator = (typeof estimators)[number];

/** Estimates in bits, one for each orientation. */
type Estimates = Readonly<Record<Estimator, readonly LeftOut[]>>;

/**
 * Estimates for all transforms at one separation. The second coefficient of pairs "across" is from
 * another image, so that they are independent.
 */
export interface Measured {
  readonly separation: number;
  readonly of: Readonly<Record<PairTransform | "across", Estimates>>;
}

/** k of the estimate by nearest neighbours: a larger k lowers the noise. */
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
      await context.part("mutual-information", `separation-${separation}`, () => {
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

/** Fits and estimates each take about half of the time. */
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
  return {
    separation,
    of: recordOf(names, (name) =>
      recordOf(estimators, (estimator) =>
        sets.map((_, k) => leftOutOf(found[k * names.length + names.indexOf(name)][estimator])),
      ),
    ),
  };
}

export function leftOutOf({ inBits, withoutGroupsInBits }: PairInformation): LeftOut {
  return { value: inBits, without: Array.from(withoutGroupsInBits ?? []) };
}

/** Sizes of the groups of neighbouring images. */
function groupsOf({ images, pairsPerImage }: WaveletPairs): number[] {
  const starts = groupStarts(images);
  return starts.slice(1).map((end, g) => (end - starts[g]) * pairsPerImage);
}

/** Pairs the first coordinates with the second ones of the next image. */
export function acrossImages<T extends FloatArray>(pairs: T, pairsPerImage: number): T {
  const across = pairs.slice() as T;
  for (let k = 1; k < pairs.length; k += 2) {
    across[k] = pairs[(k + 2 * pairsPerImage) % pairs.length];
  }
  return across;
}
