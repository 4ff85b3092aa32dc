/** Lines of a chart from the records of runs. */
import type { LineSeries } from "../../src/figures/line-series.js";
import type { MetricsRecord } from "../../src/runs/run-metrics.js";

export const quantities = ["difference", "loss"] as const;
export type Quantity = (typeof quantities)[number];
export const abscissas = ["step", "time"] as const;
export type Abscissa = (typeof abscissas)[number];

/** Colours of charts; what looks like k is k dashed. */
const colours = 5;
export const mostRuns = colours;

/**
 * A name of "" needs none: there is one run. The fit of run k in its colour, and dashed, in the
 * same colour, what was held out.
 */
export function curvesOf(
  runs: readonly { readonly name: string; readonly records: readonly MetricsRecord[] }[],
  quantity: Quantity,
  abscissa: Abscissa,
): LineSeries[] {
  return runs.flatMap(({ name, records }, k) => {
    const timed = withTimes(records);
    return [false, true].flatMap((isHeldOut): LineSeries[] => {
      const points = timed.filter((record) => record.isHeldOut === isHeldOut);
      if (points.length === 0) return [];
      return [
        {
          label: labelOf(name, isHeldOut),
          x: points.map(({ step, seconds }) => (abscissa === "step" ? step : seconds)),
          y: points.map((record) => valueOf(record, quantity)),
          rank: isHeldOut ? colours + k : k,
        },
      ];
    });
  });
}

function labelOf(name: string, isHeldOut: boolean): string {
  if (name === "") return isHeldOut ? "held out" : "fitted";
  return isHeldOut ? `${name}, held out` : name;
}

export function valueOf(record: MetricsRecord, quantity: Quantity): number {
  return quantity === "loss" ? -record.meanLogProb : record.negentropyDifferencePerDimension;
}

/** Validations do not say when they were: at the time of the record before. */
function withTimes(records: readonly MetricsRecord[]): (MetricsRecord & { seconds: number })[] {
  let last = 0;
  return records.map((record) => {
    last = record.seconds ?? last;
    return { ...record, seconds: last };
  });
}
