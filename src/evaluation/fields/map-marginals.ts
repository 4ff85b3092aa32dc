/**
 * How normal the responses of each map of a field are (paper §4.3, the figure with marginals of 256
 * features):
 *
 *   D_c = KL( histogram of map c ‖ N(0, 1) ) − (bins − 1)/2n
 *
 *   symbol  variable             meaning
 *   c       map                  one filter, at all locations
 *   n       locations            of all fields together
 *   D_c     divergenceInNats[c]  less the bias of a normal sample (divergence.ts): below 0 as often
 *                                as above where responses are normal
 *
 * The bias is that of independent values. Neighbours depend on each other, and images differ: D is
 * somewhat too large still where it is small. Heavy tails lose some of it: what a normal
 * distribution hardly ever reaches is one bin.
 */
import { expected } from "../../errors.js";
import { type Field, requireField } from "../../transforms/field.js";
import { klDivergence } from "../divergence.js";
import { type Histogram, type HistogramOptions, histogramOf } from "../histogram.js";
import { MomentAccumulator } from "../moments.js";
import { standardNormal } from "../reference-densities.js";
import { mapOf } from "./interior.js";

export interface MarginalOptions {
  /**
   * Whether each map is shifted to mean 0 and scaled to variance 1 first: a linear stage may give
   * any. Default false.
   */
  readonly scaled?: boolean;
  /** Default: 120 bins from −6 to 6, beyond which of a million normal values there is none. */
  readonly bins?: HistogramOptions;
}

export interface MapMarginals {
  /** One of each map. */
  readonly histograms: readonly Histogram[];
  readonly divergenceInNats: Float64Array;
  readonly excessKurtosis: Float64Array;
  /** As the responses are, also where they are scaled. */
  readonly variance: Float64Array;
}

const usualBins: HistogramOptions = { bins: 120, from: -6, to: 6 };

/** Of fields of any sizes, all of their locations together. */
export function mapMarginals(
  fields: readonly Field[],
  { scaled = false, bins = usualBins }: MarginalOptions = {},
): MapMarginals {
  const maps = requireFields(fields);
  const histograms: Histogram[] = [];
  const divergenceInNats = new Float64Array(maps);
  const excessKurtosis = new Float64Array(maps);
  const variance = new Float64Array(maps);
  for (let c = 0; c < maps; c++) {
    const values = valuesOfMap(fields, c);
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

function requireFields(fields: readonly Field[]): number {
  if (!Array.isArray(fields) || fields.length === 0) {
    throw expected("fields", "be a list of at least one", fields);
  }
  const all = fields as readonly Field[];
  const [{ maps }] = all;
  all.forEach((field, k) => {
    requireField(field, `field ${k}`, maps);
  });
  return maps;
}

function valuesOfMap(fields: readonly Field[], map: number): Float64Array {
  const all = new Float64Array(fields.reduce((sum, { width, height }) => sum + width * height, 0));
  let at = 0;
  for (const field of fields) {
    const { values } = mapOf(field, map);
    all.set(values, at);
    at += values.length;
  }
  return all;
}

/** A map that is constant has no scale: it is all zeros then. */
function standardized(values: Float64Array, { mean, variance }: MomentAccumulator): Float64Array {
  const scale = variance > 0 ? 1 / Math.sqrt(variance) : 0;
  return values.map((value) => scale * (value - mean));
}
