/** §4.3: what responses at neighbouring locations tell about each other, after each stage. */
import { mapOf } from "../../src/evaluation/fields/interior.js";
import { pairInformations } from "../../src/evaluation/mutual-information/information-job.js";
import { createRandom } from "../../src/random/random-stream.js";
import type { Field } from "../../src/transforms/field.js";
import { coefficientPairs } from "../../src/wavelets/coefficient-pairs.js";
import type { PaperContext } from "../experiment.js";
import { type CascadeStage, type StageFields, cascadeStages } from "./cascade-responses.js";
import { type LeftOut, groupStarts, meanLeftOut } from "./left-out.js";
import { type Estimator, acrossImages, estimators } from "./pair-information.js";

/** The second response of a pair, against the first. */
export const pairKinds = [
  "same filter, to the right",
  "same filter, below",
  "next filter, to the right",
  "another image",
] as const;
export type PairKind = (typeof pairKinds)[number];

/** In bits, means over filters. */
export type CascadeInformation = Readonly<
  Record<CascadeStage, Readonly<Record<PairKind, Readonly<Record<Estimator, LeftOut>>>>>
>;

/** Filters that are looked at, spread over all; and pairs of each in each image. */
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
        .map(({ [estimator]: { inBits, withoutGroupsInBits } }) => ({
          value: inBits,
          without: Array.from(withoutGroupsInBits ?? []),
        })),
    );
  return recordOf(cascadeStages, (stage) =>
    recordOf(pairKinds, (kind) =>
      recordOf(estimators, (estimator) => meanFor(stage, kind, estimator)),
    ),
  );
}

/** A record with every one of the names. */
function recordOf<Name extends string, T>(
  names: readonly Name[],
  make: (name: Name) => T,
): Record<Name, T> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, T>;
}

/** Of the pairs, to the right or below. */
function placesIn({ width, height }: Field): number {
  return Math.min((width - 1) * height, width * (height - 1));
}

/** At random places of every image, as many in each; the same places whatever the stage. */
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
    if (kind === "next filter, to the right") {
      const others = at(field, (map + 1) % field.maps);
      for (let i = 1; i < pairs.length; i += 2) pairs[i] = others[i];
    }
    all.set(pairs, 2 * count * k);
  });
  // There is nothing to find: what the estimates make of it is the floor of all others.
  return kind === "another image" ? acrossImages(all, count) : all;
}
