import { expected } from "../errors.js";
import { fixed } from "../numbers/format-number.js";
import { renderChart } from "./chart-frame.js";
import type { ChartDocument, ChartOptions } from "./chart-options.js";
import { fontSizes, seriesClass } from "./chart-theme.js";
import { textWidth } from "./text-layout.js";

export interface RankingEntry {
  readonly label: string;
  readonly value: number;
  /** Index into the names of the series. */
  readonly series: number;
}

export interface RankingChartOptions extends ChartOptions {
  readonly entries: readonly RankingEntry[];
  /** Names of the series for the legend. */
  readonly series: readonly string[];
  /** Label with its unit, for example "log-likelihood (nats)". */
  readonly xLabel: string;
  /** Digits of the values beside the dots; 2 by default. */
  readonly digits?: number | undefined;
}

const rowHeight = 21;
const labelGap = 12;
/** Widths of texts are estimates, and a longer name would be cut off. */
const allowance = 1.1;

/** Draws values as dots in rows, the largest on top, as an SVG; equal options give equal text. */
export async function rankingChart(
  document: ChartDocument,
  options: RankingChartOptions,
): Promise<string> {
  const { entries, series, xLabel, digits = 2 } = options;
  if (entries.length === 0) throw expected("entries", "hold a value", []);
  const sorted = [...entries].sort((a, b) => b.value - a.value);
  const ranked = sorted.map((entry, rank) => ({ ...entry, rank }));
  const text = ({ value }: RankingEntry): string => fixed(value, digits);
  const widest = Math.max(...ranked.map(({ label }) => textWidth(label, fontSizes.text)));
  const [low, high] = [ranked[ranked.length - 1].value, ranked[0].value];
  const margin = (high - low || 1) * 0.06;
  const words = ranked.map((entry) => `${entry.label} ${text(entry)}`);
  return renderChart(document, {
    options: { ...options, height: options.height ?? rowHeight * ranked.length },
    summary: `${words.join(", ")}. Horizontal: ${xLabel}.`,
    legend: series.map((label, k) => ({ label, className: `${seriesClass(k)} gz-line` })),
    x: { label: xLabel, domain: [low - margin, high + margin] },
    y: { label: "", domain: [ranked.length - 0.5, -0.5] },
    yTicks: ranked.map(({ rank }) => rank),
    yTickFormat: (rank) => ranked[rank].label,
    marginLeft: Math.ceil(allowance * widest) + labelGap,
    marginRight:
      Math.ceil(allowance * textWidth(fixed(-Math.abs(high), digits), fontSizes.text)) + labelGap,
    marks: (plot) =>
      series.map((_, k) =>
        plot.dot(
          ranked.filter((entry) => entry.series === k),
          { x: "value", y: "rank", r: 4.5, className: `${seriesClass(k)} gz-dot` },
        ),
      ),
    finish: ({ yOf, right, draw }) => {
      for (const entry of ranked) {
        const y = Math.round(10 * (yOf(entry.rank) + 4.5)) / 10;
        const className = `${seriesClass(entry.series)} gz-label`;
        draw("text", { class: className, x: right + 6, y, "text-anchor": "start" }, text(entry));
      }
    },
  });
}
