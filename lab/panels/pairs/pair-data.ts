/**
 * The pairs of a source, standardized: what is shown, fitted and measured. The worker keeps those
 * of the last sources.
 */
import { GaussianizeError } from "../../../src/errors.js";
import { type Grid, histogram2dOf, smoothed } from "../../../src/evaluation/histogram-2d.js";
import { contourLevels } from "../../../src/figures/contour-panel.js";
import { portablePow } from "../../../src/numbers/power.js";
import type { JobContext } from "../../compute/job.js";
import { LastOnes } from "../../compute/last-ones.js";
import { csvPairs } from "./csv-pairs.js";
import { type PairSource, keyOf, reach } from "./pair-source.js";
import { type StandardizedPairs, cautionOfTies, standardizedPairs } from "./standardized-pairs.js";
import { syntheticPairs } from "./synthetic-pairs.js";
import { type DecodePicture, waveletSourcePairs } from "./wavelet-source.js";

export interface PairData extends StandardizedPairs {
  readonly count: number;
  readonly names: readonly [string, string];
  /** The first of the pairs: what is shown, and measured along the way. */
  readonly shown: Float32Array;
  readonly histogram: Grid;
  /** In bins, of the histogram and of densities that are compared with it. */
  readonly smoothing: number;
  /**
   * Densities that contours are drawn at, and those of them that the histogram has enough pairs
   * for.
   */
  readonly levels: readonly number[];
  readonly histogramLevels: readonly number[];
  /** Describes the pairs, in a sentence without its end. */
  readonly about: string;
  /** A sentence that warns where estimates from the pairs mean little. */
  readonly caution: string | null;
}

/** Grid of histograms and densities. */
export const square = { bins: 64, from: -reach, to: reach };
/** In bins, of 20,000 pairs or more: steps of a histogram are no contours. */
const leastSmoothing = 0.8;
/**
 * Pairs that a contour of the histogram is to rest on at least, within the reach of the smoothing:
 * fewer are noise.
 */
const fewestInReach = 5;
export const mostShown = 3000;
/** Pairs for the mutual information in the end. */
export const mostMeasured = 20_000;
/** In bytes: a million rows of two numbers with all their digits, twice over. */
const largestCsv = 100e6;

const known = new LastOnes<PairData>(2);

export type DataContext = Pick<JobContext<unknown>, "runner"> & { readonly decode: DecodePicture };

export function pairData(source: PairSource, context: DataContext): Promise<PairData> {
  return known.get(keyOf(source), async () => {
    const { pairs, names, about } = await rawPairs(source, context);
    const standard = standardizedPairs(pairs, names, source.seed);
    const shown = standard.x.subarray(0, 2 * mostShown);
    const count = pairs.length / 2;
    const caution = cautionOfTies(standard.x.subarray(0, 2 * mostMeasured), names);
    const contours = contoured(standard.x, count);
    return { count, ...standard, names, about, caution, shown, ...contours };
  });
}

/**
 * The noise of a density of two dimensions falls with the sixth root of the count, where the
 * smoothing does.
 */
function contoured(x: Float32Array, count: number) {
  const smoothing = leastSmoothing * Math.max(1, portablePow(20_000 / count, 1 / 6));
  const histogram = smoothed(histogram2dOf(x, square).density, smoothing);
  const levels = contourLevels(histogram);
  const side = (square.to - square.from) / square.bins;
  // As many bins as a constant weight would have that smooths as much.
  const areaInReach = 4 * Math.PI * smoothing * smoothing * side * side;
  const histogramLevels = levels.filter((level) => level * areaInReach * count >= fewestInReach);
  return { histogram, smoothing, levels, histogramLevels };
}

type RawPairs = Pick<PairData, "names" | "about"> & { readonly pairs: Float32Array | Float64Array };

async function rawPairs(source: PairSource, context: DataContext): Promise<RawPairs> {
  switch (source.kind) {
    case "wavelets": {
      const names = ["coefficient", `the one ${source.separation} to its right`] as const;
      return { ...(await waveletSourcePairs(source, context)), names };
    }
    case "csv": {
      const { file } = source.table;
      if (file.size > largestCsv) {
        throw new GaussianizeError(
          "unsupported-file",
          `Expected ${file.name} to be at most 100 MB.`,
        );
      }
      const { pairs, names } = csvPairs(await file.text());
      return { pairs, names: names ?? ["column 1", "column 2"], about: `Rows of ${file.name}` };
    }
    case "elliptical":
    case "independent":
    case "curved": {
      const pairs = syntheticPairs(source.kind, source.count, source.seed);
      return { pairs, names: ["x₁", "x₂"], about: syntheticWords[source.kind] };
    }
  }
}

const syntheticWords = {
  elliptical: "Correlated pairs with one random scale for both",
  independent: "Independent heavy-tailed values, rotated by 30°",
  curved: "Normal values, bent to a parabola",
} as const;
