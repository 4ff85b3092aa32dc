/**
 * `gaussianize fit … --distributed mpi`: all ranks run this; rank 0 reads the options of a run,
 * keeps its folder, and speaks.
 */
import { availableParallelism } from "node:os";
import { UsageError } from "../../src/errors.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { openRunner } from "../../node/worker-threads.js";
import type { ImageSet } from "../../src/patches/image-set.js";
import type { FitTerms } from "../../src/runs/fit-terms.js";
import { type Environment, launchOf } from "../../node/mpi/launch.js";
import { LonelyFailure, RankJob, StoppedTogether } from "../../node/mpi/rank-job.js";
import { RunFolder } from "../../node/run-folder.js";
import type { Effects } from "../effects.js";
import { packageVersion } from "../package-version.js";
import type { FitConfig } from "./config.js";
import { openImages, tellLeftOut } from "./images.js";
import type { RunOptions } from "./options.js";
import { type FitOutcome, counted, endedOutcome } from "./outcome.js";
import { interruption, quoted, runFit } from "./run.js";
import { followFit } from "./team.js";

/** What only rank 0 does, with the folder. */
export interface FirstRank {
  /** What is to be fitted, in a folder that is now closed to others. */
  readonly enter: () => Promise<FitTerms>;
  /** Once the images are known. */
  readonly open: (set: ImageSet) => Promise<RunFolder>;
  readonly leave: () => Promise<void>;
}

/** Several processes that know nothing of each other would write into the same folder. */
export function requireOneProcess(environment: Environment): void {
  const { size, rank } = launchOf(environment);
  if (size <= 1) return;
  const error = new UsageError(
    `${size} processes were started: give --distributed mpi to fit one model with all of them, or --distributed none where each has a run of its own.`,
  );
  throw Object.assign(error, { wasTold: rank > 0 });
}

const terminated = 143;

/** The outcome, which rank 0 prints; undefined at the others. */
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
 * A launcher ends a job, also one of which a process has died, by SIGTERM and soon after SIGKILL:
 * there is no time for another step.
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
    // What is missing on a host is told once there.
    throw Object.assign(error as Error, { wasTold: launchOf(environment).rankOnHost > 0 });
  }
}

class RankedCommand {
  private stepsKept = 0;
  private config: FitConfig | undefined;
  /** The folder, at rank 0. */
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
    await this.tellSkipped(set, effects);
    if (job.isFirst) await this.first.leave();
    // Nobody goes before rank 0 has written all there is: launchers may end whoever stays behind.
    await job.meet();
    return job.isFirst && outcome ? outcome : undefined;
  }

  /** Of images that only other ranks have met. */
  private async tellSkipped({ skipped }: ImageSet, effects: Effects): Promise<void> {
    const own = skipped.map(({ reason }) => reason);
    const all = await this.job.gather(own);
    for (const reason of new Set(all)) if (!own.includes(reason)) tellLeftOut(reason, effects);
  }

  private async fit(
    fit: Parameters<typeof runFit>[1],
    effects: Effects,
  ): Promise<FitOutcome | undefined> {
    const { job } = this;
    const onKept = (steps: number): void => {
      this.stepsKept = steps;
    };
    const runner = await this.openRunner(fit.config);
    try {
      if (job.isFirst) return await runFit(runner, { ...fit, job, onKept }, effects);
      await followFit(runner, fit, job, onKept);
      return undefined;
    } finally {
      await runner.close();
    }
  }

  /**
   * A rank with one thread is that thread, which hears signals between its tasks: a second one
   * would take the processor from other ranks.
   */
  private openRunner({ fastMath }: FitConfig): Promise<TaskRunner> {
    const { workers: threads = this.job.ranksOnHost > 1 ? 1 : availableParallelism() } =
      this.options;
    const workers = threads === 1 ? 0 : threads;
    return openRunner({ workers, ...(fastMath && { kernels: "relaxed-simd" }) });
  }

  /**
   * How the command ends when not well. One rank says why; what it says is also what the others end
   * with. All ranks know of it by the same meeting and meet once more, unless the job is ended
   * under them.
   */
  async ended(error: unknown): Promise<Error> {
    const { job } = this;
    const failure = await job.failureOf(error, this.signal);
    // Why the fit ended is worth more than that its lock stays.
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

  /** Where nothing can be agreed on any more. */
  private async endIfAlone(failure: unknown): Promise<void> {
    const { abandonment, ranks } = this.job;
    if (abandonment.aborted) await this.abandoned();
    if (!(failure instanceof LonelyFailure)) return;
    this.say(`Rank ${ranks.rank}: ${failure.message}`);
    ranks.abort(1);
  }

  /** By SIGTERM. */
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

const abandonedText = "The job was ended (SIGTERM: a rank died, or somebody stopped it)";

function silent(effects: Effects): Effects {
  const nowhere = { write: () => undefined, isTerminal: false };
  return { ...effects, stdout: nowhere, stderr: nowhere };
}

/** For whoever must find out why ranks do not see the same files. */
function findingsOf({ images, skipped }: ImageSet): string {
  const count = counted(images.length, "image");
  if (skipped.length === 0) return count;
  return `${count}, and ${skipped.length} that cannot be used (${skipped[0].reason.replace(/\.$/, "")})`;
}
