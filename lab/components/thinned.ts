/** Records in a number that a chart can draw at once. */
import type { MetricsRecord } from "../../src/runs/run-metrics.js";

/** Points of a line; a fit writes 200 of them, and a screen has hardly more columns. */
export const mostPoints = 1000;

/**
 * At most that many records of each line, in their order: the first and the last, and of every part
 * between them those with the least and the largest ΔJ and likelihood, so that no peak is lost. The
 * same list where there are not more.
 */
export function thinned(records: readonly MetricsRecord[]): readonly MetricsRecord[] {
  const lines = [false, true].map((isHeldOut) =>
    records.flatMap((record, k) => (record.isHeldOut === isHeldOut ? [k] : [])),
  );
  if (lines.every((line) => line.length <= mostPoints)) return records;
  const kept = lines.flatMap((line) => [...thinnedLine(records, line)]);
  return kept.sort((a, b) => a - b).map((k) => records[k]);
}

/** `line`: indices of records. */
function thinnedLine(
  records: readonly MetricsRecord[],
  line: readonly number[],
): ReadonlySet<number> {
  if (line.length <= mostPoints) return new Set(line);
  const parts = Math.floor((mostPoints - 2) / 4);
  const kept = new Set([line[0], line[line.length - 1]]);
  for (let part = 0; part < parts; part++) {
    const from = Math.floor((part * line.length) / parts);
    const to = Math.floor(((part + 1) * line.length) / parts);
    const some = line.slice(from, to);
    for (const valueOf of [differenceOf, likelihoodOf]) {
      const value = (k: number): number => valueOf(records[k]);
      kept.add(some.reduce((least, k) => (value(k) < value(least) ? k : least)));
      kept.add(some.reduce((most, k) => (value(k) > value(most) ? k : most)));
    }
  }
  return kept;
}

const differenceOf = (record: MetricsRecord): number => record.negentropyDifferencePerDimension;
const likelihoodOf = ({ meanLogProb }: MetricsRecord): number => meanLogProb;
