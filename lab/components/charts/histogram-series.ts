/** Histograms, and the density that is expected of them, as series of a chart. */
import { type Histogram, binEdge } from "../../../src/evaluation/histogram.js";
import type { ReferenceDistribution } from "../../../src/evaluation/reference-densities.js";
import type { ChartSeries } from "./series.js";

interface NamedHistogram {
  readonly label: string;
  readonly histogram: Histogram;
}

const curvePoints = 400;
/** Areas of more histograms cannot be told apart. */
const mostAreas = 2;

export function histogramSeries(
  histograms: readonly NamedHistogram[],
  expected: Pick<ReferenceDistribution, "name" | "density">,
  isLog: boolean,
): ChartSeries[] {
  if (histograms.length === 0) return [];
  const look = isLog || histograms.length > mostAreas ? "line" : "area";
  const steps = histograms.map(({ label, histogram }, rank): ChartSeries => {
    return { label, ...outlineOf(histogram), rank, look };
  });
  const from = Math.min(...histograms.map(({ histogram }) => histogram.from));
  const to = Math.max(...histograms.map(({ histogram }) => histogram.to));
  const floor = isLog ? densityOfOneValue(histograms) / 2 : 0;
  const x = Array.from(
    { length: curvePoints + 1 },
    (_, k) => from + ((to - from) * k) / curvePoints,
  );
  const y = x
    .map((value) => expected.density(value))
    .map((value) => (value >= floor ? value : NaN));
  return [...steps, { label: expected.name, x, y, rank: 0, look: "expected" }];
}

/** Two points for each bin, just within its edges, so that x increases. */
function outlineOf(histogram: Histogram): Pick<ChartSeries, "x" | "y"> {
  const { bins, density } = histogram;
  const inset = 1e-6 * (binEdge(histogram, 1) - binEdge(histogram, 0));
  const x: number[] = [];
  const y: number[] = [];
  for (let k = 0; k < bins; k++) {
    x.push(binEdge(histogram, k) + inset, binEdge(histogram, k + 1) - inset);
    y.push(density[k], density[k]);
  }
  return { x, y };
}

/** The smallest positive density: that of a single value. */
function densityOfOneValue(histograms: readonly NamedHistogram[]): number {
  const steps = histograms.map(
    ({ histogram: { bins, from, to, total } }) => bins / ((to - from) * (total || 1)),
  );
  return Math.min(...steps);
}
