/**
 * The ranks of a job outside of its steps: what they do together, and how one that fails does not
 * leave the others waiting.
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
import type { AnyTransform } from "../../src/transforms/image-cascade.js";
import { digestOf } from "../../src/transforms/parameters.js";
import { isOtherAtWork } from "../run-lock.js";
import type { Environment } from "./launch.js";
import { MpiRanks } from "./mpi-ranks.js";

/** More than a checkpoint takes, less than a scheduler waits. */
const secondsForFirst = 5;

interface Process {
  readonly host: string;
  readonly id: number;
}

export class RankJob {
  private constructor(
    readonly ranks: MpiRanks,
    /** Of each rank. */
    private readonly processes: readonly Process[],
    /** What is waited for is then given up at once. */
    readonly abandonment: AbortSignal,
  ) {}

  static async join(environment: Environment, abandonment: AbortSignal): Promise<RankJob> {
    const ranks = await MpiRanks.join(environment);
    // The others may never come.
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

  /** Rank 0 is no more, as far as can be seen from here. */
  async isFirstGone(): Promise<boolean> {
    const { host, id } = this.processes[0];
    return !this.isFirst && host === hostname() && !(await isOtherAtWork(id));
  }

  /**
   * Until rank 0 has gone, or has had the time to: a launcher may end all processes when the first
   * of them does.
   */
  async letFirstGo(): Promise<void> {
    const latest = performance.now() + 1000 * secondsForFirst;
    while (!this.isFirst && !(await this.isFirstGone()) && performance.now() < latest) {
      await setTimeout(20);
    }
  }

  /** Refuses batches that are too small for so many ranks. */
  requireWork(batch: number): void {
    requireWorkForAll(batch, this.ranks.size);
  }

  /** Goes on when all ranks are here. */
  async meet(): Promise<void> {
    await this.wait(gatherGifts(this.ranks));
  }

  /** What rank 0 does for all of them, and what came of it, which JSON can say. */
  onFirst<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.wait(onFirst(this.ranks, work));
  }

  /** `what` is what a rank with another text does: "finds other images". */
  requireAlike(text: string, what: string, about?: string): Promise<void> {
    return this.wait(requireAlike(this.ranks, text, what, about));
  }

  /** Of the parameters of a transform. */
  requireSameNumbers(transform: AnyTransform, what: string): Promise<void> {
    return this.requireAlike(digestOf(transform), what);
  }

  /** Texts of all ranks, one after the other. */
  async gather(texts: readonly string[]): Promise<string[]> {
    return (await this.wait(gatherValues(this.ranks, texts))).flat();
  }

  /** The bytes of rank 0. */
  share(bytes: Uint8Array): Promise<Uint8Array> {
    return this.wait(share(this.ranks, bytes));
  }

  /**
   * What all ranks fail with when this one has met `error`: they are told, unless they know. The
   * others learn it where they next meet; who fails where they cannot be told ends the job.
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
