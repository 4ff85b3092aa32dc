/** §4.3, the figure: marginal distributions of the responses of each filter, after each stage. */
import { klDivergence } from "../../src/evaluation/divergence.js";
import {
  type Histogram,
  type HistogramOptions,
  histogramOf,
} from "../../src/evaluation/histogram.js";
import { MomentAccumulator } from "../../src/evaluation/moments.js";
import { standardNormal } from "../../src/evaluation/reference-densities.js";
import { concatenated } from "../../src/kernels/concatenated.js";
import { meanOf } from "../../src/numbers/means.js";
import { quantileOfSorted } from "../../src/numbers/order-statistics.js";
import type { Field } from "../../src/transforms/field.js";
import { type CascadeStage, type StageFields, cascadeStages, mapOf } from "./cascade-responses.js";
import { type LeftOut, leavingOut, recordOf } from "./left-out.js";

/** Plain data, since parts of experiments are kept as JSON. */
export interface StageMarginals {
  /** Divergence from a normal distribution in nats, mean over the filters; CICA is scaled. */
  readonly divergence: LeftOut;
  /** Divergence of responses that are scaled to variance 1: it depends on their shape only. */
  readonly scaledDivergence: LeftOut;
  readonly excessKurtosis: LeftOut;
  /** Median over the filters, and the filter that is farthest from 0. */
  readonly median: FilterValues;
  readonly worst: FilterValues;
  readonly variance: number;
  readonly locations: number;
  /** Histograms of each filter for the figure. */
  readonly histograms: readonly PlainHistogram[];
  /** Histogram of all filters together. */
  readonly overall: PlainHistogram;
}

interface FilterValues {
  /** Divergence from a normal distribution in nats; CICA is scaled. */
  readonly divergence: number;
  readonly excessKurtosis: number;
}

type PlainHistogram = Omit<Histogram, "counts" | "density"> & {
  readonly counts: readonly number[];
  readonly density: readonly number[];
};

export type CascadeMarginals = Readonly<Record<CascadeStage, StageMarginals>>;

/** Bins of the figure. */
const shownBins = { bins: 60, from: -6, to: 6 };

export function cascadeMarginals(fields: StageFields): CascadeMarginals {
  return recordOf(cascadeStages, (stage) => marginalsOf(fields[stage], stage));
}

/** The scale of a linear stage is arbitrary; the output of a GDN should be standard normal. */
function marginalsOf(fields: readonly Field[], stage: CascadeStage): StageMarginals {
  const scaled = isLinear(stage);
  const { all, without } = leavingOut(fields, (some) => mapMarginals(some, { scaled: true }));
  const ofMaps = (name: "divergenceInNats" | "excessKurtosis"): LeftOut => ({
    value: meanOf(all[name]),
    without: without.map((marginals) => meanOf(marginals[name])),
  });
  const { histograms } = mapMarginals(fields, { scaled, bins: shownBins });
  const scaledDivergence = ofMaps("divergenceInNats");
  const asIs = leavingOut(fields, (some) => mapMarginals(some).divergenceInNats);
  const ofFilters = (summary: (values: Float64Array) => number): FilterValues => ({
    divergence: summary(scaled ? all.divergenceInNats : asIs.all),
    excessKurtosis: summary(all.excessKurtosis),
  });
  return {
    divergence: scaled
      ? scaledDivergence
      : { value: meanOf(asIs.all), without: asIs.without.map(meanOf) },
    scaledDivergence,
    excessKurtosis: ofMaps("excessKurtosis"),
    median: ofFilters((values) => quantileOfSorted(values.toSorted(), 0.5)),
    worst: ofFilters(farthestFromZero),
    variance: meanOf(all.variance),
    locations: fields.reduce((sum, { width, height }) => sum + width * height, 0),
    histograms: histograms.map(plain),
    overall: plain(together(histograms)),
  };
}

export function isLinear(stage: CascadeStage): boolean {
  return stage.endsWith("CICA");
}

function farthestFromZero(values: Float64Array): number {
  return values.reduce((worst, value) => (Math.abs(value) > Math.abs(worst) ? value : worst), 0);
}

function together(histograms: readonly Histogram[]): Histogram {
  const sum = (of: "below" | "above" | "total"): number =>
    histograms.reduce((total, each) => total + each[of], 0);
  const empty = histogramOf([], shownBins);
  const counts = empty.counts.map((_, k) =>
    histograms.reduce((total, each) => total + each.counts[k], 0),
  );
  const [below, above, total] = [sum("below"), sum("above"), sum("total")];
  const width = (shownBins.to - shownBins.from) / shownBins.bins;
  return { ...empty, counts, below, above, total, density: counts.map((c) => c / total / width) };
}

function plain(histogram: Histogram): PlainHistogram {
  const { counts, density } = histogram;
  return { ...histogram, counts: Array.from(counts), density: Array.from(density) };
}

export function histogramFrom(given: PlainHistogram): Histogram {
  const { counts, density } = given;
  return { ...given, counts: Float64Array.from(counts), density: Float64Array.from(density) };
}

/** 120 bins to ±6, which a million normal values do not exceed. */
const usualBins: HistogramOptions = { bins: 120, from: -6, to: 6 };

/**
 * Histogram, divergence, kurtosis and variance of each map over all locations of all fields:
 *
 *   D_c = KL( histogram of map c ‖ N(0, 1) ) − (bins − 1)/2n
 *
 *   symbol  variable             meaning
 *   c       map                  one filter, at all locations
 *   n       locations            of all fields together
 *   D_c     divergenceInNats[c]  less the bias of a normal sample (divergence.ts), so that normal
 *                                responses have values around 0
 *
 * The bias is that of independent values. Neighbours depend on each other, and images differ, so
 * small values of D are still too large. For heavy tails D is too small: values that a normal
 * distribution hardly ever reaches share one bin. `scaled` first scales each map to mean 0 and
 * variance 1; `variance` is always that before.
 */
export function mapMarginals(
  fields: readonly Field[],
  { scaled = false, bins = usualBins }: { scaled?: boolean; bins?: HistogramOptions } = {},
) {
  const [{ maps }] = fields;
  const histograms: Histogram[] = [];
  const divergenceInNats = new Float64Array(maps);
  const excessKurtosis = new Float64Array(maps);
  const variance = new Float64Array(maps);
  for (let c = 0; c < maps; c++) {
    const values = concatenated(
      Float64Array,
      fields.map((field) => mapOf(field, c).values),
    );
    const moments = new MomentAccumulator().add(values);
    variance[c] = moments.variance;
    excessKurtosis[c] = moments.excessKurtosis;
    const histogram = histogramOf(scaled ? standardized(values, moments) : values, bins);
    const { inNats, biasInNats } = klDivergence(histogram, standardNormal);
    divergenceInNats[c] = inNats - biasInNats;
    histograms.push(histogram);
  }
  return { histograms, divergenceInNats, excessKurtosis, variance };
}

/** A constant map becomes all zeros. */
function standardized(values: Float64Array, { mean, variance }: MomentAccumulator): Float64Array {
  const scale = variance > 0 ? 1 / Math.sqrt(variance) : 0;
  return values.map((value) => scale * (value - mean));
}
