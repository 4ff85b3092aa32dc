/** A chart of the metrics of runs. */
import type { VNode } from "preact";
import { useCallback, useMemo } from "preact/hooks";
import type { LineSeries } from "../../src/figures/line-series.js";
import { fixed } from "../../src/numbers/format-number.js";
import type { MetricsRecord } from "../../src/runs/run-metrics.js";
import { Chart, drawLines } from "./chart.js";

export const quantities = ["difference", "loss"] as const;
export type Quantity = (typeof quantities)[number];
export const abscissas = ["step", "time"] as const;
export type Abscissa = (typeof abscissas)[number];

/** Number of chart colours: series `mostRuns + k` has the colour of series k, dotted. */
export const mostRuns = 5;

export interface Curve {
  /** Empty for a single run, which needs no name. */
  readonly name: string;
  readonly records: readonly MetricsRecord[];
}

interface RunCurvesProps {
  /** A new list draws the chart again. */
  readonly curves: readonly Curve[];
  readonly quantity: Quantity;
  readonly abscissa: Abscissa;
  /** Text in place of the chart before its first values. */
  readonly waiting: string;
}

const yLabels: Readonly<Record<Quantity, string>> = {
  difference: "ΔJ (nats per dimension)",
  loss: "loss (nats)",
};
const xLabels: Readonly<Record<Abscissa, string>> = { step: "step", time: "seconds" };
const width = 480;
const height = 250;
/** Includes the axes and a line of names. */
const aspect = width / (height + 98);

export function RunCurves({ curves, quantity, abscissa, waiting }: RunCurvesProps): VNode {
  const series = useMemo(() => curvesOf(curves, quantity, abscissa), [curves, quantity, abscissa]);
  const [xLabel, yLabel] = [xLabels[abscissa], yLabels[quantity]];
  const draw = useCallback(
    () => drawLines({ series, xLabel, yLabel, names: "legend", width, height }),
    [series, xLabel, yLabel],
  );
  return (
    <Chart
      draw={series.length > 0 ? draw : null}
      description={describe(curves, quantity)}
      caption={`${yLabel} against ${xLabel === "step" ? "steps" : "seconds"}; dotted: on held-out images. Lower is better.`}
      aspect={aspect}
      waiting={waiting}
    />
  );
}

/** Describes the last value of each curve. */
function describe(curves: readonly Curve[], quantity: Quantity): string {
  const ends = curvesOf(curves, quantity, "step").map(
    ({ label, x, y }) => `${label}: ${fixed(y[y.length - 1], 4)} at step ${x[x.length - 1]}`,
  );
  return `${yLabels[quantity]}. ${ends.join("; ")}.`;
}

/** Returns two lines per run, if it has both: training in its colour, held-out data dotted. */
export function curvesOf(
  runs: readonly Curve[],
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
          rank: isHeldOut ? mostRuns + k : k,
        },
      ];
    });
  });
}

function labelOf(name: string, isHeldOut: boolean): string {
  if (name === "") return isHeldOut ? "held out" : "fitted";
  return isHeldOut ? `${name}, held out` : name;
}

function valueOf(record: MetricsRecord, quantity: Quantity): number {
  return quantity === "loss" ? -record.meanLogProb : record.negentropyDifferencePerDimension;
}

/** Gives validations, which record no time, the time of the record before them. */
function withTimes(records: readonly MetricsRecord[]): (MetricsRecord & { seconds: number })[] {
  let last = 0;
  return records.map((record) => {
    last = record.seconds ?? last;
    return { ...record, seconds: last };
  });
}
