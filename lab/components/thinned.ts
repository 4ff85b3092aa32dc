/** Thins records to a number that a chart can draw. */
import type { MetricsRecord } from "../../src/runs/run-metrics.js";

/** Most points of a line. A fit writes 200; a screen has hardly more columns. */
export const mostPoints = 1000;

/**
 * Returns at most {@link mostPoints} records per line, in order: the first, the last, and the
 * extremes of ΔJ and likelihood in every part between them, so no peak is lost. Returns the same
 * list if it is short enough.
 */
export function thinned(records: readonly MetricsRecord[]): readonly MetricsRecord[] {
  const lines = [false, true].map((isHeldOut) =>
    records.flatMap((record, k) => (record.isHeldOut === isHeldOut ? [k] : [])),
  );
  if (lines.every((line) => line.length <= mostPoints)) return records;
  const kept = lines.flatMap((line) => [...thinnedLine(records, line)]);
  return kept.sort((a, b) => a - b).map((k) => records[k]);
}

/** `line` holds indices of records. */
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
    for (const quantity of ["negentropyDifferencePerDimension", "meanLogProb"] as const) {
      const value = (k: number): number => records[k][quantity];
      kept.add(some.reduce((least, k) => (value(k) < value(least) ? k : least)));
      kept.add(some.reduce((most, k) => (value(k) > value(most) ? k : most)));
    }
  }
  return kept;
}
