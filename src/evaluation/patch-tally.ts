/** Means over the patches of one image, and over those of several. */
import { weightedMean } from "../numbers/means.js";
import type { Likelihood } from "./evaluation.js";
import { MomentAccumulator } from "./moments.js";
import type { PatchScores } from "./patch-scores.js";

/** Takes up patch by patch, so that it does not matter how they are cut into chunks. */
export class PatchTally {
  readonly logProb = new MomentAccumulator();
  readonly negentropyDifference = new MomentAccumulator();
  /** log of the probability of the codes: log p(x) + Σ log code width. */
  readonly codeLogProb = new MomentAccumulator();
  private failed = 0;

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
    return this.count + this.failed;
  }

  /** `logWidths`: Σ log code width of each patch. */
  add({ logProb, negentropyDifference }: PatchScores, logWidths: Float64Array | null): void {
    const hasDensity = (_: number, s: number): boolean => !Number.isNaN(logProb[s]);
    const good = logProb.filter(hasDensity);
    this.failed += logProb.length - good.length;
    this.logProb.add(good);
    this.negentropyDifference.add(negentropyDifference.filter(hasDensity));
    if (logWidths) {
      this.codeLogProb.add(logProb.map((value, s) => value + logWidths[s]).filter(hasDensity));
    }
  }

  likelihood(): Likelihood {
    return likelihoodOf(this.dimension, {
      samples: this.patches,
      failedSamples: this.failed,
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
      samples: tallies.reduce((sum, tally) => sum + tally.patches, 0),
      failedSamples: tallies.reduce((sum, tally) => sum + tally.failed, 0),
      logProb: mean((tally) => tally.logProb.mean),
      negentropyDifference: mean((tally) => tally.negentropyDifference.mean),
      codeLogProb: tallies.every(({ hasCodes }) => hasCodes)
        ? mean((tally) => tally.codeLogProb.mean)
        : null,
    });
  }
}

interface Means {
  readonly samples: number;
  readonly failedSamples: number;
  readonly logProb: number;
  readonly negentropyDifference: number;
  readonly codeLogProb: number | null;
}

function likelihoodOf(dimension: number, means: Means): Likelihood {
  const { samples, failedSamples, logProb, negentropyDifference, codeLogProb } = means;
  const bits = dimension * Math.LN2;
  return {
    samples,
    failedSamples,
    meanLogLikelihood: logProb,
    natsPerDimension: logProb / dimension,
    bitsPerPixel: logProb / bits,
    codeLengthInBitsPerPixel: codeLogProb === null ? null : -codeLogProb / bits,
    negentropyDifferencePerDimension: negentropyDifference / dimension,
  };
}
