/** §4.3: mutual information of neighbouring locations and of filters, after each stage. */
import { pairInformations } from "../../src/evaluation/mutual-information/information-job.js";
import { createRandom } from "../../src/random/random-stream.js";
import type { Field } from "../../src/transforms/field.js";
import { coefficientPairs } from "../../src/wavelets/coefficient-pairs.js";
import type { PaperContext } from "../experiment.js";
import { type CascadeStage, type StageFields, cascadeStages, mapOf } from "./cascade-responses.js";
import { type LeftOut, groupStarts, meanLeftOut, recordOf } from "./left-out.js";
import { type Estimator, acrossImages, estimators, leftOutOf } from "./pair-information.js";

/** Kinds of pairs, named after their second response. */
export const pairKinds = [
  "same filter, to the right",
  "same filter, below",
  "next filter, to the right",
  "next filter, same location",
  "another image",
] as const;
export type PairKind = (typeof pairKinds)[number];

/** Mutual information in bits, means over filters. */
export type CascadeInformation = Readonly<
  Record<CascadeStage, Readonly<Record<PairKind, Readonly<Record<Estimator, LeftOut>>>>>
>;

/** Largest numbers of filters, and of pairs of each filter in each image. */
const most = { quick: { maps: 8, pairs: 1000 }, full: { maps: 32, pairs: 2000 } };
export const nearest = 8;

export async function cascadeInformation(
  context: PaperContext,
  fields: StageFields,
): Promise<CascadeInformation> {
  const limits = context.quick ? most.quick : most.full;
  const [{ maps }] = fields["first GDN"];
  const count = Math.min(maps, limits.maps);
  const chosen = Array.from({ length: count }, (_, k) => Math.floor((k * maps) / count));
  const pairs = Math.min(limits.pairs, ...fields["first GDN"].map(placesIn));
  const jobs = cascadeStages.flatMap((stage) =>
    pairKinds.flatMap((kind) => chosen.map((map) => ({ stage, kind, map }))),
  );
  const sets = jobs.map(({ stage, kind, map }) =>
    pairsOf(context, fields[stage], kind, map, pairs),
  );
  const report = context.progress("mutual information", sets.length);
  const { runner, signal } = context;
  const starts = groupStarts(fields["first GDN"].length);
  const groups = starts.slice(1).map((end, g) => (end - starts[g]) * pairs);
  const options = { neighbours: nearest, groups, signal, onProgress: report };
  const found = await pairInformations(runner, sets, options);
  const meanFor = (stage: CascadeStage, kind: PairKind, estimator: Estimator): LeftOut =>
    meanLeftOut(
      found
        .filter((_, k) => jobs[k].stage === stage && jobs[k].kind === kind)
        .map(({ [estimator]: estimate }) => leftOutOf(estimate)),
    );
  return recordOf(cascadeStages, (stage) =>
    recordOf(pairKinds, (kind) =>
      recordOf(estimators, (estimator) => meanFor(stage, kind, estimator)),
    ),
  );
}

/** Number of places for pairs, to the right or below, whichever is smaller. */
function placesIn({ width, height }: Field): number {
  return Math.min((width - 1) * height, width * (height - 1));
}

/** Pairs at `count` random places of each image, the same places for every stage. */
function pairsOf(
  { seed }: PaperContext,
  fields: readonly Field[],
  kind: PairKind,
  map: number,
  count: number,
): Float64Array {
  const all = new Float64Array(2 * count * fields.length);
  const [dx, dy] = kind === "same filter, below" ? [0, 1] : [1, 0];
  fields.forEach((field, k) => {
    const at = (of: Field, which: number): Float64Array => {
      const random = createRandom(seed, "paper cascade", map, k);
      return coefficientPairs(mapOf(of, which), { dx, dy, count, random });
    };
    const pairs = at(field, map);
    if (kind.startsWith("next filter")) {
      const others = at(field, (map + 1) % field.maps);
      // The first response of a pair is at the place itself, the second to its right.
      const from = kind === "next filter, same location" ? 0 : 1;
      for (let i = 0; i < pairs.length; i += 2) pairs[i + 1] = others[i + from];
    }
    all.set(pairs, 2 * count * k);
  });
  // These pairs are independent: their estimates show the error of all others.
  return kind === "another image" ? acrossImages(all, count) : all;
}
