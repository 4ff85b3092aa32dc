/**
 * A fit that several ranks make together: what each of them adds to its options, and what those do
 * that have nothing to tell.
 */
import type { TaskRunner } from "../../src/parallel/job.js";
import { decodeCheckpoint, encodeCheckpoint } from "../../src/training/checkpoint-file.js";
import { fitModel } from "../../src/training/fit-model.js";
import type { FitCheckpoint } from "../../src/training/fit-transform.js";
import type { AnyTransform } from "../../src/transforms/image-cascade.js";
import { patchFitOptions } from "../../src/runs/fit-terms.js";
import type { RankJob } from "../../node/mpi/rank-job.js";
import type { RunFolder } from "../../node/run-folder.js";
import type { ImageSet } from "../../src/patches/image-set.js";
import type { FitConfig } from "./config.js";

/** A fit in the folder of its run. */
export interface FitInFolder {
  readonly run: RunFolder;
  readonly config: FitConfig;
  readonly set: ImageSet;
  readonly signal: AbortSignal;
}

/**
 * Where the fit is gone on from, at all ranks: rank 0 has read the bytes, none where it is at its
 * start.
 */
export async function resumeTogether<T extends AnyTransform>(
  job: RankJob,
  run: RunFolder,
  start: T,
  bytes?: Uint8Array,
): Promise<FitCheckpoint<T> | null> {
  // Another decoder of images, or a processor that rounds otherwise, would give each rank a model
  // of its own.
  await job.requireSameNumbers(start, "has come to other numbers before the first step");
  const shared = await job.share(bytes ?? new Uint8Array(0));
  if (shared.length === 0) return null;
  return decodeCheckpoint(shared.slice(), start, { name: run.path("checkpoint"), run: run.id });
}

/**
 * What ranks other than 0 do: the same fit, of which they write and tell nothing. Where rank 0 has
 * died on this host, rank 1 writes the last checkpoint in its place. The steps that it has kept
 * then.
 */
export async function followFit(
  runner: TaskRunner,
  { run, config, set, signal }: FitInFolder,
  job: RankJob,
  onKept: (steps: number) => void,
): Promise<void> {
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
