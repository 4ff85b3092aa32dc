/** The guided densities at work on many patches: sorted by class, brought into their poses, and cut into tasks of one class each. */
import type { BatchOptions } from "../../density/batch-passes.js";
import type { FloatArray } from "../../kernels/kernels.js";
import type { JobInput, TaskList, TaskRunner } from "../../parallel/job.js";
import { type GuidedShared, type GuidedTask, guidedJob } from "./guided-job.js";
import { poseCount, poseMaps } from "./patch-classes.js";

/** Patches as they lie in an image, standardized. */
export interface GuidedPatches {
  readonly size: number;
  /** Class · 8 + pose of each. */
  readonly kinds: Uint16Array;
  readonly noisy: Float32Array;
  readonly guide: Float32Array;
}

/** Of all patches, in their order and as they lie in the image. */
export async function guidedEstimates(
  runner: TaskRunner,
  shared: GuidedShared,
  patches: GuidedPatches,
  { signal, onProgress }: BatchOptions = {},
): Promise<Float32Array> {
  const posed = new PosedPatches(patches);
  let done = 0;
  const results = await runner.run(guidedJob, shared, posed.tasks(null), {
    signal,
    onTaskDone: (task) => {
      done += posed.groups[task].members.length;
      onProgress?.(done, patches.kinds.length);
    },
  });
  const estimates = new Float32Array(patches.noisy.length);
  results.forEach((result, task) => {
    posed.putBack(result.estimates as FloatArray, posed.groups[task].members, estimates);
  });
  return estimates;
}

/** Of each expert, the derivative of a loss by its parameters; null for one without patches. `errors` is that by the estimates. */
export async function guidedGradients(
  runner: TaskRunner,
  shared: GuidedShared,
  patches: GuidedPatches,
  errors: Float32Array,
): Promise<readonly (readonly FloatArray[] | null)[]> {
  const posed = new PosedPatches(patches);
  const results = await runner.run(guidedJob, shared, posed.tasks(errors));
  const sums: (readonly FloatArray[] | null)[] = shared.experts.map(() => null);
  // In the order of the tasks, whoever did them: the same bits for any number of workers.
  results.forEach(({ gradient }, task) => {
    const { expert } = posed.groups[task];
    const sum = sums[expert];
    if (sum === null) sums[expert] = gradient;
    else
      gradient?.forEach((values, g) => {
        addTo(sum[g], values);
      });
  });
  return sums;
}

function addTo(sum: FloatArray, values: FloatArray): void {
  for (let k = 0; k < sum.length; k++) sum[k] += values[k];
}

interface PatchGroup {
  readonly expert: number;
  /** Indices of the patches. */
  readonly members: Uint32Array;
}

/** A few milliseconds of work. */
const patchesOfTask = 1024;

class PosedPatches {
  readonly groups: readonly PatchGroup[];
  private readonly maps: readonly Uint16Array[];

  constructor(private readonly patches: GuidedPatches) {
    this.groups = groupsOf(patches.kinds);
    this.maps = poseMaps(patches.size);
  }

  tasks(errors: Float32Array | null): TaskList<GuidedTask> {
    const { noisy, guide } = this.patches;
    return {
      length: this.groups.length,
      at: (k): JobInput<GuidedTask> => {
        const { expert, members } = this.groups[k];
        const task = {
          expert,
          noisy: this.pose(noisy, members),
          guide: this.pose(guide, members),
          errors: errors && this.pose(errors, members),
        };
        const arrays = [task.noisy, task.guide, ...(task.errors ? [task.errors] : [])];
        return { task, transfer: arrays.map(({ buffer }) => buffer as ArrayBuffer) };
      },
    };
  }

  private pose(values: Float32Array, members: Uint32Array): Float32Array {
    const area = this.patches.size ** 2;
    const posed = new Float32Array(members.length * area);
    let to = 0;
    for (const member of members) {
      const map = this.mapOf(member);
      const from = member * area;
      for (let k = 0; k < area; k++) posed[to++] = values[from + map[k]];
    }
    return posed;
  }

  putBack(posed: FloatArray, members: Uint32Array, out: Float32Array): void {
    const area = this.patches.size ** 2;
    let from = 0;
    for (const member of members) {
      const map = this.mapOf(member);
      const to = member * area;
      for (let k = 0; k < area; k++) out[to + map[k]] = posed[from++];
    }
  }

  private mapOf(member: number): Uint16Array {
    return this.maps[this.patches.kinds[member] % poseCount];
  }
}

/** By class, and within a class in their order. */
function groupsOf(kinds: Uint16Array): PatchGroup[] {
  const members: number[][] = [];
  kinds.forEach((kind, patch) => {
    (members[Math.floor(kind / poseCount)] ??= []).push(patch);
  });
  return members.flatMap((all, expert) =>
    Array.from({ length: Math.ceil(all.length / patchesOfTask) }, (_, k) => ({
      expert,
      members: Uint32Array.from(all.slice(k * patchesOfTask, (k + 1) * patchesOfTask)),
    })),
  );
}
