/** Keeps the ranks of a fit in step: all of them continue, stop or fail together. */
import { RankedPasses } from "../density/ranked-passes.js";
import { agree, requireAlike } from "../parallel/agreement.js";
import type { Ranks } from "../parallel/ranks.js";
import type { FittedTransform } from "../transforms/side-by-side.js";
import { digestOf } from "../transforms/parameters.js";

/** The processes that share a fit. */
export interface RankedFit {
  readonly ranks: Ranks;
  /** Samples per step over all ranks; `batchAt` returns this rank's share. */
  readonly batch: number;
}

export class FitTeam {
  readonly passes: RankedPasses | undefined;
  private failure: Error | undefined;

  constructor(
    private readonly ranked: RankedFit | undefined,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.passes = ranked && new RankedPasses(ranked.ranks);
  }

  /** Samples per step over all ranks; undefined for a single process. */
  get batch(): number | undefined {
    return this.ranked?.batch;
  }

  /**
   * Runs local work. On several ranks a failure is kept until the others can be told, and the
   * returned value must not be used.
   */
  async attempt<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!this.ranked) throw error;
      // An interrupted load is not a failure: this rank tells the others that it stops.
      const isInterruption = this.signal?.aborted && error === this.signal.reason;
      if (!isInterruption) this.failure ??= error as Error;
      return undefined as never;
    }
  }

  /**
   * Returns whether all ranks stop here; every rank calls this after each batch. A single process
   * finishes its step first, so it gets false.
   */
  async agree(): Promise<boolean> {
    if (!this.ranked) return false;
    const { failure } = this;
    const stops = this.signal?.aborted ?? false;
    return agree(this.ranked.ranks, failure ? { stops, failure } : { stops });
  }

  /** Throws if ranks have different parameters, say because their processors round differently. */
  async requireSame(transform: FittedTransform, step: number): Promise<void> {
    if (!this.ranked) return;
    const difference = `has other parameters after ${step} steps`;
    await requireAlike(this.ranked.ranks, digestOf(transform), difference);
  }
}
