/**
 * `gaussianize fit … --distributed mpi`: all ranks run this; only rank 0 reads and writes the
 * folder of the run, and prints.
 */
import { availableParallelism } from "node:os";
import { UsageError } from "../../src/errors.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { openRunner } from "../../node/worker-threads.js";
import type { ImageSet } from "../../src/patches/image-set.js";
import { type FitTerms, patchFitOptions } from "../../src/runs/fit-terms.js";
import { encodeCheckpoint } from "../../src/training/checkpoint-file.js";
import { fitModel } from "../../src/training/fit-model.js";
import { type Environment, launchOf } from "../../node/mpi/launch.js";
import { LonelyFailure, RankJob, StoppedTogether } from "../../node/mpi/rank-job.js";
import { RunFolder } from "../../node/run-folder.js";
import type { Effects } from "../effects.js";
import { packageVersion } from "../package.js";
import { counted, quoted } from "../text.js";
import type { FitConfig } from "./config.js";
import { openImages, tellSkipped } from "./images.js";
import type { RunOptions } from "./options.js";
import { type FitOutcome, endedOutcome } from "./outcome.js";
import { type FitRun, interruption, resumeTogether, runFit } from "./run.js";

/** Work that only rank 0 does. */
export interface FirstRank {
  /** Locks the folder and returns the terms of the fit. */
  readonly enter: () => Promise<FitTerms>;
  /** Opens the run once the images are known. */
  readonly open: (set: ImageSet) => Promise<RunFolder>;
  readonly leave: () => Promise<void>;
}

/** Rejects several processes without --distributed, which would write into the same folder. */
export function requireOneProcess(environment: Environment): void {
  const { size, rank } = launchOf(environment);
  if (size <= 1) return;
  const error = new UsageError(
    `${size} processes were started: give --distributed mpi to fit one model with all of them, or --distributed none if each has its own run.`,
  );
  throw Object.assign(error, { wasTold: rank > 0 });
}

const terminated = 143;

/** Returns the outcome at rank 0, and undefined at the others. */
export async function fitOnRanks(
  first: FirstRank,
  options: RunOptions,
  effects: Effects,
): Promise<FitOutcome | undefined> {
  const signal = effects.interruption();
  const job = await joined(effects.environment, signal);
  const fit = new RankedCommand(job, first, options, signal, effects);
  try {
    const outcome = await fit.run();
    job.ranks.leave();
    return outcome;
  } catch (error) {
    throw await fit.ended(error);
  }
}

/**
 * Joins the job. On SIGTERM, which launchers send soon before SIGKILL, also when a process has
 * died, there is no time for another step: the job is abandoned.
 */
async function joined(environment: Environment, signal: AbortSignal): Promise<RankJob> {
  const abandonment = new AbortController();
  signal.addEventListener("abort", () => {
    const { exitCode } = signal.reason as { exitCode?: number };
    if (exitCode === terminated) abandonment.abort(signal.reason);
  });
  try {
    return await RankJob.join(environment, abandonment.signal);
  } catch (error) {
    // One rank per host reports what is missing there.
    throw Object.assign(error as Error, { wasTold: launchOf(environment).rankOnHost > 0 });
  }
}

class RankedCommand {
  private stepsKept = 0;
  private config: FitConfig | undefined;
  /** Folder of the run, at rank 0. */
  private opened: RunFolder | undefined;

  constructor(
    private readonly job: RankJob,
    private readonly first: FirstRank,
    private readonly options: RunOptions,
    private readonly signal: AbortSignal,
    private readonly effects: Effects,
  ) {}

  async run(): Promise<FitOutcome | undefined> {
    const { job, signal, options } = this;
    const { output, strict = false } = options;
    const effects = job.isFirst ? this.effects : silent(this.effects);
    await job.requireAlike(packageVersion(), "runs another version of gaussianize");
    const terms = await job.onFirst(this.first.enter);
    job.requireWork(terms.batch);
    const set = await openImages(terms, strict, effects, signal);
    await job.requireAlike(set.fingerprint, "finds other images", findingsOf(set));
    const { config, id } = await job.onFirst(async () => {
      this.opened = await this.first.open(set);
      return { config: this.opened.config as FitConfig, id: this.opened.id };
    });
    this.config = config;
    const run = this.opened ?? RunFolder.known(output, config, id);
    const ended = await job.onFirst(() => endedOutcome({ run }, effects));
    const outcome = ended || (await this.fit({ run, config, set, signal }, effects));
    await this.tellOthersSkipped(set, effects);
    if (job.isFirst) await this.first.leave();
    // Ranks wait until rank 0 has written everything: launchers may end those that remain.
    await job.meet();
    return job.isFirst && outcome ? outcome : undefined;
  }

  /** Prints which images only other ranks have skipped. */
  private async tellOthersSkipped({ skipped }: ImageSet, effects: Effects): Promise<void> {
    const own = skipped.map(({ reason }) => reason);
    const all = await this.job.gather(own);
    for (const reason of new Set(all)) if (!own.includes(reason)) tellSkipped(reason, effects);
  }

  private async fit(fit: FitRun, effects: Effects): Promise<FitOutcome | undefined> {
    const { job } = this;
    const onKept = (steps: number): void => {
      this.stepsKept = steps;
    };
    const runner = await this.openRunner(fit.config);
    try {
      if (job.isFirst) return await runFit(runner, { ...fit, job, onKept }, effects);
      await this.follow(runner, fit, onKept);
      return undefined;
    } finally {
      await runner.close();
    }
  }

  /**
   * Makes the same fit at the other ranks, which write nothing. If rank 0 has died on this host,
   * rank 1 writes the last checkpoint in its place.
   */
  private async follow(
    runner: TaskRunner,
    { run, config, set, signal }: FitRun,
    onKept: (steps: number) => void,
  ): Promise<void> {
    const { job } = this;
    const { abandonment, ranks } = job;
    await fitModel(runner, {
      ...patchFitOptions(config, set, config.window),
      signal,
      abandonment,
      ranks,
      resume: (start) => resumeTogether(job, run, start),
      onCheckpoint: async (checkpoint) => {
        if (!abandonment.aborted || ranks.rank !== 1 || !(await job.isFirstGone())) return;
        await run.writeCheckpoint(encodeCheckpoint(checkpoint, run.id));
        onKept(checkpoint.step);
      },
    });
  }

  /** Computes in the calling thread if a rank has one: a second one would slow down other ranks. */
  private openRunner({ fastMath }: FitConfig): Promise<TaskRunner> {
    const { workers: threads = this.job.ranksOnHost > 1 ? 1 : availableParallelism() } =
      this.options;
    const workers = threads === 1 ? 0 : threads;
    return openRunner({ workers, ...(fastMath && { kernels: "relaxed-simd" }) });
  }

  /**
   * Returns the error of a failed or interrupted fit, which rank 0 prints. All ranks learn of it at
   * the same meeting and meet once more, unless the launcher ends the job.
   */
  async ended(error: unknown): Promise<Error> {
    const { job } = this;
    const failure = await job.failureOf(error, this.signal);
    // The reason of the failure matters more than a lock that stays.
    if (job.isFirst) await this.first.leave().catch(() => undefined);
    await this.endIfAlone(failure);
    await this.endIfAlone(await job.meet().catch((reason: unknown) => reason));
    job.ranks.leave();
    const told =
      failure instanceof StoppedTogether
        ? Object.assign(this.interruption(), { exitCode: 130 })
        : failure;
    return Object.assign(told, { wasTold: !job.isFirst });
  }

  /** Ends the process if the ranks can no longer meet. */
  private async endIfAlone(failure: unknown): Promise<void> {
    const { abandonment, ranks } = this.job;
    if (abandonment.aborted) await this.abandoned();
    if (!(failure instanceof LonelyFailure)) return;
    this.say(`Rank ${ranks.rank}: ${failure.message}`);
    ranks.abort(1);
  }

  /** Ends the process after SIGTERM. */
  private async abandoned(): Promise<never> {
    const { job } = this;
    if (job.isFirst || this.stepsKept > 0) {
      const { message, command } = this.interruption(abandonedText);
      this.say(command === undefined ? message : `${message}\n  ${command}`);
    }
    await job.letFirstGo();
    return job.ranks.exit(terminated);
  }

  private interruption(beginning?: string): ReturnType<typeof interruption> {
    const { options, stepsKept, config } = this;
    const launcher = this.effects.environment.SLURM_STEP_ID === undefined ? "mpirun" : "srun";
    const command = `${launcher} -n ${this.job.ranks.size} gaussianize fit -o ${quoted(options.output)} --distributed mpi --resume`;
    const isKept = this.opened?.isBegun ?? stepsKept > 0;
    return interruption(stepsKept, isKept ? config?.steps : undefined, command, beginning);
  }

  private say(text: string): void {
    this.effects.stderr.write(`gaussianize fit: ${text}\n`);
  }
}

const abandonedText = "The job was ended by SIGTERM (a rank died, or somebody stopped it)";

function silent(effects: Effects): Effects {
  const nowhere = { write: () => undefined, isTerminal: false };
  return { ...effects, stdout: nowhere, stderr: nowhere };
}

/** Describes the images of a rank, in case ranks do not see the same files. */
function findingsOf({ images, skipped }: ImageSet): string {
  const count = counted(images.length, "image");
  if (skipped.length === 0) return count;
  return `${count}, and ${skipped.length} unusable (${skipped[0].reason.replace(/\.$/, "")})`;
}
