/** §4.3, the figure: how normal the responses of each filter are, after each stage. */
import { mapMarginals } from "../../src/evaluation/fields/map-marginals.js";
import { type Histogram, histogramOf } from "../../src/evaluation/histogram.js";
import { meanOf } from "../../src/numbers/means.js";
import { square } from "../../src/numbers/square.js";
import type { Field } from "../../src/transforms/field.js";
import { type CascadeStage, type StageFields, cascadeStages } from "./cascade-responses.js";
import { type LeftOut, leavingOut } from "./left-out.js";

/** Plain data: parts of experiments are kept as JSON. */
export interface StageMarginals {
  /**
   * Means over the filters: nats, from a normal distribution. Of GDN as responses are, of CICA
   * scaled.
   */
  readonly divergence: LeftOut;
  /** The same of responses that are scaled to variance 1, for each filter: of their shape alone. */
  readonly scaledDivergence: LeftOut;
  readonly excessKurtosis: LeftOut;
  /** Standard deviations over the filters, scaled. */
  readonly spread: { readonly divergence: number; readonly excessKurtosis: number };
  readonly variance: number;
  readonly locations: number;
  /** Of each filter and of all together, for the figure. */
  readonly histograms: readonly PlainHistogram[];
  readonly overall: PlainHistogram;
}

type PlainHistogram = Omit<Histogram, "counts" | "density"> & {
  readonly counts: readonly number[];
  readonly density: readonly number[];
};

export type CascadeMarginals = Readonly<Record<CascadeStage, StageMarginals>>;

/** A figure needs no more. */
const shownBins = { bins: 60, from: -6, to: 6 };

export function cascadeMarginals(fields: StageFields): CascadeMarginals {
  const each = cascadeStages.map((stage) => [stage, marginalsOf(fields[stage], stage)]);
  // Every stage is there: the list is of all of them.
  return Object.fromEntries(each) as Record<CascadeStage, StageMarginals>;
}

/**
 * A linear stage has no scale of its own, and is scaled to variance 1; a GDN is to be standard
 * normal as it is.
 */
function marginalsOf(fields: readonly Field[], stage: CascadeStage): StageMarginals {
  const scaled = isLinear(stage);
  const { all, without } = leavingOut(fields, (some) => mapMarginals(some, { scaled: true }));
  const ofMaps = (name: "divergenceInNats" | "excessKurtosis"): LeftOut => ({
    value: meanOf(all[name]),
    without: without.map((marginals) => meanOf(marginals[name])),
  });
  const { histograms } = mapMarginals(fields, { scaled, bins: shownBins });
  const scaledDivergence = ofMaps("divergenceInNats");
  return {
    divergence: scaled ? scaledDivergence : divergenceAsIs(fields),
    scaledDivergence,
    excessKurtosis: ofMaps("excessKurtosis"),
    spread: {
      divergence: deviation(all.divergenceInNats),
      excessKurtosis: deviation(all.excessKurtosis),
    },
    variance: meanOf(all.variance),
    locations: fields.reduce((sum, { width, height }) => sum + width * height, 0),
    histograms: histograms.map(plain),
    overall: plain(together(histograms)),
  };
}

function divergenceAsIs(fields: readonly Field[]): LeftOut {
  const { all, without } = leavingOut(fields, (some) =>
    meanOf(mapMarginals(some).divergenceInNats),
  );
  return { value: all, without };
}

export function isLinear(stage: CascadeStage): boolean {
  return stage.endsWith("CICA");
}

function deviation(values: Float64Array): number {
  const mean = meanOf(values);
  return Math.sqrt(meanOf(values.map((value) => square(value - mean))));
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
