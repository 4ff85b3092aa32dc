/**
 * What a fit on several ranks does between its steps, so that all of them go on, stop or fail
 * together; alone, it stops as it likes.
 */
import { RankedPasses } from "../density/ranked-passes.js";
import { agree, requireAlike } from "../parallel/agreement.js";
import type { Ranks } from "../parallel/ranks.js";
import type { AnyTransform } from "../transforms/image-cascade.js";
import { digestOf } from "../transforms/parameters.js";

/** With whom a fit is made. */
export interface RankedFit {
  readonly ranks: Ranks;
  /**
   * Samples of a step, of all ranks together: `batchAt` gives this rank's share of them
   * (density/ranked-passes.ts).
   */
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

  /** Samples of a step, where they are not those that this process holds. */
  get batch(): number | undefined {
    return this.ranked?.batch;
  }

  /**
   * What this rank does for itself: a failure is kept until the others can be told; what comes back
   * then is of no use.
   */
  async attempt<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!this.ranked) throw error;
      // Who was asked to stop loads no more images: the others hear that it stops.
      const isInterruption = this.signal?.aborted && error === this.signal.reason;
      if (!isInterruption) this.failure ??= error as Error;
      return undefined as never;
    }
  }

  /** Whether the fit is to stop here. All ranks come here after each look at a batch. */
  async agree(): Promise<boolean> {
    const stops = this.signal?.aborted ?? false;
    // Alone, a fit first takes the step that it is at.
    if (!this.ranked) return false;
    const { failure } = this;
    return agree(this.ranked.ranks, failure ? { stops, failure } : { stops });
  }

  /**
   * Processors that round otherwise would give each rank a model of its own, and nobody would know.
   */
  async requireSame(transform: AnyTransform, step: number): Promise<void> {
    if (!this.ranked) return;
    const what = `has come to other numbers after ${step} steps`;
    await requireAlike(this.ranked.ranks, digestOf(transform), what);
  }
}
