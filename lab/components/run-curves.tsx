/** A chart of the metrics of runs. */
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { fixed } from "../../src/numbers/format-number.js";
import type { MetricsRecord } from "../../src/runs/run-metrics.js";
import { Chart } from "./charts/chart.js";
import type { LegendRow } from "./charts/legend.js";
import type { ScaleKind } from "./charts/scale.js";
import { type ChartSeries, aboveLowest } from "./charts/series.js";

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

interface RunCurvesProps extends CurveLook {
  /** A new list draws the chart again. */
  readonly curves: readonly Curve[];
  /** Names in the order of the table of runs; by default that of the curves. */
  readonly order?: readonly string[];
  readonly quantity: Quantity;
  readonly abscissa: Abscissa;
  /** Text in place of the chart before its first values. */
  readonly waiting: string;
  readonly fileName: string;
  /** Height of the plot in pixels. */
  readonly height: number;
}

/** How curves are drawn. */
export interface CurveLook {
  readonly stepScale: ScaleKind;
  readonly valueScale: ScaleKind;
  /** Number of neighbouring records whose mean is drawn. */
  readonly smoothing: number;
}

const yLabels: Readonly<Record<Quantity, string>> = {
  difference: "ΔJ (nats per dimension)",
  loss: "loss (nats)",
};
const lowestLabels: Readonly<Record<Quantity, string>> = {
  difference: "ΔJ above the lowest (nats per dimension)",
  loss: "loss above the lowest (nats)",
};
const xLabels: Readonly<Record<Abscissa, string>> = { step: "step", time: "seconds" };
const columns = ["fitted", "held out"];

export function RunCurves(props: RunCurvesProps): VNode {
  const { curves, order, quantity, abscissa, waiting, fileName } = props;
  const { stepScale, valueScale, smoothing, height } = props;
  const isLog = valueScale === "log";
  const series = useMemo(() => {
    const found = curvesOf(curves, quantity, abscissa);
    return isLog ? aboveLowest(found) : found;
  }, [curves, quantity, abscissa, isLog]);
  const xLabel = xLabels[abscissa];
  const yLabel = (isLog ? lowestLabels : yLabels)[quantity];
  const legend = useMemo(() => legendOf(curves, series, order), [curves, series, order]);
  const mean = smoothing > 1 ? ` Lines are means of ${smoothing} records.` : "";
  return (
    <Chart
      series={series}
      legend={legend}
      legendColumns={columns}
      xLabel={xLabel}
      yLabel={yLabel}
      xScale={stepScale}
      yScale={valueScale}
      smoothing={smoothing}
      height={height}
      description={describe(curves, quantity)}
      caption={`${yLabel} against ${xLabel === "step" ? "steps" : "seconds"}; dotted: on held-out images. Lower is better.${mean}`}
      waiting={waiting}
      fileName={fileName}
    />
  );
}

/** One row for each run, also before its first record, so that the legend keeps its height. */
function legendOf(
  curves: readonly Curve[],
  series: readonly ChartSeries[],
  order: readonly string[] = [],
): LegendRow[] {
  const rows = curves.map(({ name }) => ({
    name,
    label: name === "" ? "this fit" : name,
    series: [false, true].map((isHeldOut) => {
      const label = labelOf(name, isHeldOut);
      return series.find((each) => each.label === label) ?? null;
    }),
  }));
  const placeOf = (name: string): number => {
    const place = order.indexOf(name);
    return place < 0 ? order.length : place;
  };
  return rows.sort((a, b) => placeOf(a.name) - placeOf(b.name));
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
): ChartSeries[] {
  return runs.flatMap(({ name, records }, k) => {
    const timed = withTimes(records);
    return [false, true].flatMap((isHeldOut): ChartSeries[] => {
      const points = latest(timed.filter((record) => record.isHeldOut === isHeldOut));
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

/** Discards records of steps that a resumed fit took again. */
function latest<T extends MetricsRecord>(records: readonly T[]): T[] {
  const kept: T[] = [];
  for (const record of records) {
    while (kept.length > 0 && kept[kept.length - 1].step >= record.step) kept.pop();
    kept.push(record);
  }
  return kept;
}

function labelOf(name: string, isHeldOut: boolean): string {
  if (name === "") return isHeldOut ? "held out" : "fitted";
  return isHeldOut ? `${name}, held out` : name;
}

function valueOf(record: MetricsRecord, quantity: Quantity): number {
  return quantity === "loss" ? -record.meanLogProb : record.negentropyDifferencePerDimension;
}

/**
 * Gives validations, which record no time, the time of the record before them. Time goes on where a
 * resumed fit counts from zero again.
 */
function withTimes(records: readonly MetricsRecord[]): (MetricsRecord & { seconds: number })[] {
  let [before, last] = [0, 0];
  return records.map((record) => {
    if (record.seconds !== undefined) {
      if (before + record.seconds < last) before = last;
      last = before + record.seconds;
    }
    return { ...record, seconds: last };
  });
}
