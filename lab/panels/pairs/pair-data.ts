/** Standardized pairs of a source. The worker keeps those of the last sources. */
import { GaussianizeError } from "../../../src/errors.js";
import { histogram2dOf, smoothed } from "../../../src/evaluation/histogram-2d.js";
import { contourLevels } from "../../../src/figures/contour-panel.js";
import { portablePow } from "../../../src/numbers/power.js";
import { LastOnes } from "../../compute/last-ones.js";
import { contourPath, square } from "../../plane/plane-grid.js";
import { csvPairsOf } from "./csv-pairs.js";
import { type PairSource, keyOf } from "./pair-source.js";
import { type StandardizedPairs, cautionOfTies, standardizedPairs } from "./standardized-pairs.js";
import { syntheticPairs } from "./synthetic-pairs.js";
import { type PairContext, waveletSourcePairs } from "./wavelet-source.js";

/** Facts about the pairs that the page shows. */
export interface PairFacts extends Omit<StandardizedPairs, "x"> {
  readonly count: number;
  readonly names: readonly [string, string];
  /** The first pairs, count×2: plotted, and measured during a fit. */
  readonly shown: Float32Array;
  /** Contours of the histogram of all pairs: the `d` of an SVG path. */
  readonly contours: string;
  /** Describes the pairs, without a full stop. */
  readonly about: string;
  /** Warns if estimates from the pairs mean little. */
  readonly caution: string | null;
}

export interface PairData {
  /** All pairs, count×2. */
  readonly x: Float32Array;
  readonly facts: PairFacts;
  /** Densities at which contours are drawn. */
  readonly levels: readonly number[];
  /** Smoothing of the histogram and of densities compared with it, in bins. */
  readonly smoothing: number;
}

/** Smoothing for 20,000 pairs or more, in bins: hides the steps of the histogram. */
const leastSmoothing = 0.8;
/** Fewest pairs within the reach of the smoothing for a contour: fewer are noise. */
const fewestInReach = 5;
const mostShown = 3000;
/** Most pairs for the mutual information of the result. */
export const mostMeasured = 20_000;
/** In bytes: twice the size of a million rows with all digits. */
const largestCsv = 100e6;

const known = new LastOnes<PairData>(2);

export function pairData(source: PairSource, context: PairContext): Promise<PairData> {
  return known.get(keyOf(source), async () => {
    const { pairs, names, about } = await rawPairs(source, context);
    const { x, mean, deviation } = standardizedPairs(pairs, names, source.seed);
    const count = pairs.length / 2;
    const { contours, levels, smoothing } = contoured(x, count);
    const facts = {
      count,
      names,
      mean,
      deviation,
      // A copy: a message to the page holds the whole buffer of an array.
      shown: x.slice(0, 2 * mostShown),
      contours,
      about,
      caution: cautionOfTies(x.subarray(0, 2 * mostMeasured), names),
    };
    return { x, facts, levels, smoothing };
  });
}

/**
 * Smooths the histogram by the sixth root of the count, as the noise of a two-dimensional density
 * requires.
 */
function contoured(x: Float32Array, count: number) {
  const smoothing = leastSmoothing * Math.max(1, portablePow(20_000 / count, 1 / 6));
  const histogram = smoothed(histogram2dOf(x, square).density, smoothing);
  const levels = contourLevels(histogram);
  const side = (square.to - square.from) / square.bins;
  // Area of the constant weight that smooths as much.
  const areaInReach = 4 * Math.PI * smoothing * smoothing * side * side;
  const histogramLevels = levels.filter((level) => level * areaInReach * count >= fewestInReach);
  return { contours: contourPath(histogram, histogramLevels), levels, smoothing };
}

type RawPairs = Pick<PairFacts, "names" | "about"> & {
  readonly pairs: Float32Array | Float64Array;
};

async function rawPairs(source: PairSource, context: PairContext): Promise<RawPairs> {
  switch (source.kind) {
    case "wavelets": {
      const names = ["coefficient", "its right neighbour"] as const;
      return { ...(await waveletSourcePairs(source, context)), names };
    }
    case "csv": {
      const { file } = source.table;
      if (file.size > largestCsv) {
        throw new GaussianizeError("unsupported-file", `${file.name} is larger than 100 MB.`);
      }
      const { pairs, names } = await csvPairsOf(file);
      return { pairs, names: names ?? ["column 1", "column 2"], about: `Rows of ${file.name}` };
    }
    case "drawn": {
      const pairs = Float64Array.from(source.points);
      return { pairs, names: ["x₁", "x₂"], about: "Points that you drew" };
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
