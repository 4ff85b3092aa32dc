/**
 * Coordinates the ranks of a job outside of its steps, and makes sure that a rank that fails does
 * not leave the others waiting.
 */
import { hostname } from "node:os";
import { setTimeout } from "node:timers/promises";
import { requireWorkForAll } from "../../src/density/ranked-passes.js";
import { unlessAborted } from "../../src/parallel/abort-error.js";
import {
  LonelyFailure,
  StoppedTogether,
  gatherGifts,
  gatherValues,
  onFirst,
  requireAlike,
  share,
  told,
} from "../../src/parallel/agreement.js";
import type { FittedTransform } from "../../src/transforms/side-by-side.js";
import { digestOf } from "../../src/transforms/parameters.js";
import { isOtherAtWork } from "../run-lock.js";
import type { Environment } from "./launch.js";
import { MpiRanks } from "./mpi-ranks.js";

/** Longer than a checkpoint takes, shorter than a scheduler waits. */
const secondsForFirst = 5;

interface Process {
  readonly host: string;
  readonly id: number;
}

export class RankJob {
  private constructor(
    readonly ranks: MpiRanks,
    /** Process of each rank. */
    private readonly processes: readonly Process[],
    /** Ends all waiting at once. */
    readonly abandonment: AbortSignal,
  ) {}

  static async join(environment: Environment, abandonment: AbortSignal): Promise<RankJob> {
    const ranks = await MpiRanks.join(environment);
    // Do not wait at the exit for ranks that may never arrive.
    process.on("exit", (code) => {
      if (ranks.isWaiting) ranks.exit(code);
    });
    const own: Process = { host: hostname(), id: process.pid };
    const processes = await unlessAborted(gatherValues(ranks, own), abandonment);
    return new RankJob(ranks, processes, abandonment);
  }

  get isFirst(): boolean {
    return this.ranks.rank === 0;
  }

  get ranksOnHost(): number {
    return this.processes.filter(({ host }) => host === hostname()).length;
  }

  /** Whether rank 0 has ended, as far as this host can tell. */
  async isFirstGone(): Promise<boolean> {
    const { host, id } = this.processes[0];
    return !this.isFirst && host === hostname() && !(await isOtherAtWork(id));
  }

  /** Waits until rank 0 has ended, or 5 seconds: a launcher may kill all when one process ends. */
  async letFirstGo(): Promise<void> {
    const latest = performance.now() + 1000 * secondsForFirst;
    while (!this.isFirst && !(await this.isFirstGone()) && performance.now() < latest) {
      await setTimeout(20);
    }
  }

  /** Throws if batches are too small for the number of ranks. */
  requireWork(batch: number): void {
    requireWorkForAll(batch, this.ranks.size);
  }

  /** Waits until all ranks have called it. */
  async meet(): Promise<void> {
    await this.wait(gatherGifts(this.ranks));
  }

  /** Runs `work` on rank 0 and returns its result, as JSON, on all ranks. */
  onFirst<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.wait(onFirst(this.ranks, work));
  }

  /** Throws unless all ranks have the same text. `what` names the fault: "finds other images". */
  requireAlike(text: string, what: string, about?: string): Promise<void> {
    return this.wait(requireAlike(this.ranks, text, what, about));
  }

  /** Throws unless all ranks have the same parameters. */
  requireSameNumbers(transform: FittedTransform, what: string): Promise<void> {
    return this.requireAlike(digestOf(transform), what);
  }

  /** Returns the texts of all ranks, in their order. */
  async gather(texts: readonly string[]): Promise<string[]> {
    return (await this.wait(gatherValues(this.ranks, texts))).flat();
  }

  /** Returns the bytes of rank 0 on all ranks. */
  share(bytes: Uint8Array): Promise<Uint8Array> {
    return this.wait(share(this.ranks, bytes));
  }

  /**
   * Tells the other ranks about `error`, unless they know, and returns the error with which all of
   * them fail. They learn it when they next meet. If they cannot be told, the job ends.
   */
  async failureOf(error: unknown, { reason }: AbortSignal): Promise<Error> {
    if (this.abandonment.aborted) return error as Error;
    return this.wait(told(this.ranks, error, reason)).catch(
      (abandoned: unknown) => abandoned as Error,
    );
  }

  private wait<Result>(work: Promise<Result>): Promise<Result> {
    return unlessAborted(work, this.abandonment);
  }
}

export { LonelyFailure, StoppedTogether };
