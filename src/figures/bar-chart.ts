import { expected } from "../errors.js";
import { fixed } from "../numbers/format-number.js";
import { renderChart } from "./chart-frame.js";
import type { ChartDocument, ChartOptions } from "./chart-options.js";
import { seriesClass } from "./chart-theme.js";

export interface BarSeries {
  readonly label: string;
  /** One value for each group; values that are not finite have no bar. */
  readonly values: ArrayLike<number>;
  /** Standard errors of the values: lines from value − error to value + error. */
  readonly errors?: ArrayLike<number> | undefined;
}

export interface BarChartOptions extends ChartOptions {
  /** Names below the groups of bars. */
  readonly groups: readonly string[];
  /** Each series has one bar in every group. */
  readonly series: readonly BarSeries[];
  /** Label of the groups, for example "pairs of responses". */
  readonly xLabel: string;
  /** Label of the ordinate, with its unit. */
  readonly yLabel: string;
  /** Digits after the decimal point in the description; 3 by default. */
  readonly digits?: number | undefined;
}

interface Bar {
  readonly from: number;
  readonly to: number;
  readonly middle: number;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Share of a group's width that its bars take, and of a bar's width that is filled. */
const [groupShare, barShare] = [0.8, 0.86];

/** Draws values in groups as bars from 0, as an SVG; equal options give equal text. */
export async function barChart(document: ChartDocument, options: BarChartOptions): Promise<string> {
  const { groups, series, xLabel, yLabel } = options;
  requireBars(options);
  const bars = series.map((each, k) => barsOf(each, k, options));
  const ends = bars.flat().flatMap(({ low, high }) => [low, high]);
  const [lowest, highest] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const margin = (highest - lowest || 1) * 0.04;
  return renderChart(document, {
    options,
    summary: summaryOf(options),
    legend: series.map(({ label }, k) => ({ label, className: `${seriesClass(k)} gz-line` })),
    x: { label: xLabel, domain: [-0.5, groups.length - 0.5] },
    y: { label: yLabel, domain: [lowest < 0 ? lowest - margin : 0, highest + margin] },
    xTicks: groups.map((_, g) => g),
    xTickFormat: (g) => groups[g],
    marks: (plot) => [
      ...bars.map((each, k) =>
        plot.rect(each, {
          x1: "from",
          x2: "to",
          y1: () => 0,
          y2: "value",
          className: `${seriesClass(k)} gz-bar`,
        }),
      ),
      plot.ruleX(
        bars.flat().filter(({ low, high }) => high > low),
        { x: "middle", y1: "low", y2: "high", className: "gz-whisker" },
      ),
      plot.ruleY([0]),
    ],
  });
}

function requireBars({ groups, series }: BarChartOptions): void {
  if (groups.length === 0) throw expected("groups", "hold a name", []);
  if (series.length === 0) throw expected("series", "hold values", []);
  for (const { label, values, errors = values } of series) {
    for (const [name, { length }] of Object.entries({ values, errors })) {
      if (length === groups.length) continue;
      throw expected(`${name} of ${label}`, `hold ${groups.length} numbers`, length);
    }
  }
}

function barsOf(
  { values, errors }: BarSeries,
  k: number,
  { groups, series }: BarChartOptions,
): Bar[] {
  const width = groupShare / series.length;
  return groups.flatMap((_, g) => {
    const value = values[g];
    if (!Number.isFinite(value)) return [];
    const error = Number.isFinite(errors?.[g]) ? Number(errors?.[g]) : 0;
    const middle = g + (k + 0.5 - series.length / 2) * width;
    const half = (width * barShare) / 2;
    const ends = { low: value - error, high: value + error };
    return [{ from: middle - half, to: middle + half, middle, value, ...ends }];
  });
}

function summaryOf({ groups, series, xLabel, yLabel, digits = 3 }: BarChartOptions): string {
  const words = series.map(({ label, values }) => {
    const each = groups.map((group, g) =>
      Number.isFinite(values[g]) ? `${group} ${fixed(values[g], digits)}` : `${group} none`,
    );
    return `${label}: ${each.join(", ")}`;
  });
  return `Bars. ${words.join("; ")}. Horizontal: ${xLabel}. Vertical: ${yLabel}.`;
}
