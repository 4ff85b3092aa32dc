/** Means over the patches of one image, and over those of several. */
import { square } from "../numbers/square.js";
import { MomentAccumulator } from "./moments.js";
import type { PatchScores } from "./patch-scores.js";

/** How likely patches are under a model of N dimensions. Means leave out patches without a density; NaN where no others are left. */
export interface Likelihood {
  /** All that were looked at. */
  readonly patches: number;
  /** Those without a density: a pivot is not positive, or a value lies outside of the domain of a stage. */
  readonly failedPatches: number;
  /** Mean of log p(x), in nats for a patch. */
  readonly meanLogLikelihood: number;
  /** The same by N … */
  readonly natsPerDimension: number;
  /** … and by N ln 2: the log-likelihood rate of values from 0 to 1, as in Theis & Bethge 2015, table 1. Higher is better. */
  readonly bitsPerPixel: number;
  /**
   * −(mean of log p(x) + Σ log code width) / (N ln 2): what a lossless coder of the codes would need. Lower is better. Null where the
   * model is not one of codes that are spread evenly over their intervals, or a picture has no codes.
   */
  readonly codeLengthInBitsPerPixel: number | null;
  /** ΔJ/N, paper eq. (4), counted from the preprocessed data; in nats. */
  readonly negentropyDifferencePerDimension: number;
}

/** Takes up patch by patch, so that it does not matter how they are cut into chunks. */
export class PatchTally {
  readonly logProb = new MomentAccumulator();
  readonly negentropyDifference = new MomentAccumulator();
  /** log of the probability of the codes: log p(x) + Σ log code width. */
  readonly codeLogProb = new MomentAccumulator();
  #failed = 0;

  /** `hasCodes`: whether widths of codes will come with the scores. */
  constructor(
    private readonly dimension: number,
    readonly hasCodes: boolean,
  ) {}

  /** Patches with a density. */
  get count(): number {
    return this.logProb.count;
  }

  /** All of them. */
  get patches(): number {
    return this.count + this.#failed;
  }

  /** `logWidths`: Σ log code width of each patch. */
  add({ logProb, negentropyDifference }: PatchScores, logWidths: Float64Array | null): void {
    const hasDensity = (_: number, s: number): boolean => !Number.isNaN(logProb[s]);
    const good = logProb.filter(hasDensity);
    this.#failed += logProb.length - good.length;
    this.logProb.add(good);
    this.negentropyDifference.add(negentropyDifference.filter(hasDensity));
    if (logWidths) {
      this.codeLogProb.add(logProb.map((value, s) => value + logWidths[s]).filter(hasDensity));
    }
  }

  likelihood(): Likelihood {
    return likelihoodOf(this.dimension, {
      patches: this.patches,
      failedPatches: this.#failed,
      logProb: this.logProb.mean,
      negentropyDifference: this.negentropyDifference.mean,
      codeLogProb: this.hasCodes ? this.codeLogProb.mean : null,
    });
  }

  /** Of all patches of several images. */
  static total(tallies: readonly PatchTally[]): Likelihood {
    const [{ dimension }] = tallies;
    const used = tallies.filter(({ count }) => count > 0);
    const weights = used.map(({ count }) => count);
    const mean = (of: (tally: PatchTally) => number): number => weightedMean(used.map(of), weights);
    return likelihoodOf(dimension, {
      patches: tallies.reduce((sum, tally) => sum + tally.patches, 0),
      failedPatches: tallies.reduce((sum, tally) => sum + tally.#failed, 0),
      logProb: mean((tally) => tally.logProb.mean),
      negentropyDifference: mean((tally) => tally.negentropyDifference.mean),
      codeLogProb: tallies.every(({ hasCodes }) => hasCodes)
        ? mean((tally) => tally.codeLogProb.mean)
        : null,
    });
  }
}

interface Means {
  readonly patches: number;
  readonly failedPatches: number;
  readonly logProb: number;
  readonly negentropyDifference: number;
  readonly codeLogProb: number | null;
}

function likelihoodOf(dimension: number, means: Means): Likelihood {
  const { patches, failedPatches, logProb, negentropyDifference, codeLogProb } = means;
  const bits = dimension * Math.LN2;
  return {
    patches,
    failedPatches,
    meanLogLikelihood: logProb,
    natsPerDimension: logProb / dimension,
    bitsPerPixel: logProb / bits,
    codeLengthInBitsPerPixel: codeLogProb === null ? null : -codeLogProb / bits,
    negentropyDifferencePerDimension: negentropyDifference / dimension,
  };
}

/** NaN without values. */
export function weightedMean(values: readonly number[], weights: readonly number[]): number {
  let [sum, total] = [0, 0];
  values.forEach((value, k) => {
    sum += weights[k] * value;
    total += weights[k];
  });
  return sum / total;
}

/**
 * Standard error of the mean m = Σ w_i m_i of K independent means, w_i their shares of all values:
 *
 *   √( K/(K − 1) Σ w_i² (m_i − m)² )
 *
 * which is the standard deviation by √K where the shares are equal.
 */
export function standardErrorOfMeans(means: readonly number[], weights: readonly number[]): number {
  const count = means.length;
  const mean = weightedMean(means, weights);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const squares = means.reduce(
    (sum, value, i) => sum + square((weights[i] / total) * (value - mean)),
    0,
  );
  return Math.sqrt((count / (count - 1)) * squares);
}

/** Of the mean of values that are independent of each other; NaN where there are fewer than two. */
export function standardErrorOf({ count, variance }: MomentAccumulator): number {
  return Math.sqrt(variance / (count - 1));
}
