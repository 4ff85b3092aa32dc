/** Estimates of many patches by guided densities, and gradients by classes, in tasks. */
import { addTo } from "../../kernels/float-arrays.js";
import type { FloatArray } from "../../kernels/kernels.js";
import type { JobInput, TaskList, TaskRunner } from "../../parallel/job.js";
import { transferred } from "../tile-average.js";
import { type EstimateTask, estimateJob } from "./estimate-job.js";
import { type GuidedShared, type GuidedTask, type PatchGroup, guidedJob } from "./guided-job.js";
import { classOfKind, poseMaps, poseOfKind } from "./patch-classes.js";

/** Standardised patches as they lie in an image. */
export interface GuidedPatches {
  readonly size: number;
  /** Class and pose of each patch (patch-classes.ts). */
  readonly kinds: Uint16Array;
  readonly noisy: Float32Array;
  readonly guide: Float32Array;
}

/** Returns the estimates of all patches, in order and as they lie in the image. */
export async function guidedEstimates(
  runner: TaskRunner,
  { experts, variance }: GuidedShared,
  { size, kinds, noisy, guide }: GuidedPatches,
): Promise<Float32Array> {
  const area = size * size;
  const parts = Math.max(runner.size, Math.ceil(kinds.length / patchesOfPart));
  const most = Math.ceil(kinds.length / parts);
  // The patches of a task, one below the other, make an image.
  const tasks: TaskList<EstimateTask> = {
    length: Math.ceil(kinds.length / most),
    at: (k): JobInput<EstimateTask> => {
      const own = kinds.slice(k * most, (k + 1) * most);
      const [from, to] = [k * most * area, (k * most + own.length) * area];
      return transferred({
        width: size,
        height: own.length * size,
        noisy: noisy.slice(from, to),
        guide: guide.slice(from, to),
        corners: Int32Array.from(own, (_, patch) => patch * area),
        kinds: own,
      });
    },
  };
  const bounds = { strengths: [], coherences: [] };
  const results = await runner.run(estimateJob, { size, experts, variance, bounds }, tasks);
  const estimates = new Float32Array(noisy.length);
  results.forEach(({ sums }, k) => {
    estimates.set(sums, k * most * area);
  });
  return estimates;
}

/**
 * Returns the derivatives of a loss by the parameters of each expert, null for one without patches.
 * `errors` are its derivatives by the estimates.
 */
export async function guidedGradients(
  runner: TaskRunner,
  shared: GuidedShared,
  patches: GuidedPatches,
  errors: Float32Array,
): Promise<readonly (readonly FloatArray[] | null)[]> {
  const posed = new PosedPatches(patches, runner.size);
  const results = await runner.run(guidedJob, shared, posed.tasks(errors));
  const sums: (readonly FloatArray[] | null)[] = shared.experts.map(() => null);
  // Summed in the order of the groups: the same bits for any number of workers.
  results.forEach((gradients, task) => {
    gradients.forEach((gradient, k) => {
      const { expert } = posed.parts[task][k];
      const sum = sums[expert];
      if (sum === null) sums[expert] = gradient;
      else
        gradient.forEach((values, g) => {
          addTo(sum[g], values);
        });
    });
  });
  return sums;
}

interface Group extends PatchGroup {
  /** Indices of the patches. */
  readonly members: Uint32Array;
}

/** Fixed, because gradients are summed group by group: the bits must not depend on workers. */
const patchesOfGroup = 1024;
/** Patches per task, about 0.1 s of work: worth a message, and soon aborted. */
const patchesOfPart = 8192;

class PosedPatches {
  /** Groups of each task. */
  readonly parts: readonly (readonly Group[])[];
  private readonly maps: readonly Uint16Array[];

  constructor(
    private readonly patches: GuidedPatches,
    workers: number,
  ) {
    const { kinds, size } = patches;
    const least = Math.max(workers, Math.ceil(kinds.length / patchesOfPart));
    this.parts = partsOf(groupsOf(kinds), Math.ceil(kinds.length / least));
    this.maps = poseMaps(size);
  }

  tasks(errors: Float32Array): TaskList<GuidedTask> {
    const { noisy, guide } = this.patches;
    return {
      length: this.parts.length,
      at: (k): JobInput<GuidedTask> => {
        const part = this.parts[k];
        const task = {
          groups: part.map(({ expert, count }) => ({ expert, count })),
          noisy: this.pose(noisy, part),
          guide: this.pose(guide, part),
          errors: this.pose(errors, part),
        };
        const arrays = [task.noisy, task.guide, task.errors];
        return { task, transfer: arrays.map(({ buffer }) => buffer as ArrayBuffer) };
      },
    };
  }

  private pose(values: Float32Array, part: readonly Group[]): Float32Array {
    const area = this.patches.size * this.patches.size;
    const posed = new Float32Array(area * part.reduce((sum, { count }) => sum + count, 0));
    let to = 0;
    for (const { members } of part) {
      for (const member of members) {
        const map = this.mapOf(member);
        const from = member * area;
        for (let k = 0; k < area; k++) posed[to++] = values[from + map[k]];
      }
    }
    return posed;
  }

  private mapOf(member: number): Uint16Array {
    return this.maps[poseOfKind(this.patches.kinds[member])];
  }
}

/** Groups patches by class, in order within a class. */
function groupsOf(kinds: Uint16Array): Group[] {
  const members: number[][] = [];
  kinds.forEach((kind, patch) => {
    (members[classOfKind(kind)] ??= []).push(patch);
  });
  return members.flatMap((all, expert) =>
    Array.from({ length: Math.ceil(all.length / patchesOfGroup) }, (_, k) => {
      const own = Uint32Array.from(all.slice(k * patchesOfGroup, (k + 1) * patchesOfGroup));
      return { expert, count: own.length, members: own };
    }),
  );
}

/** Joins consecutive groups into parts of about `patches` patches. */
function partsOf(groups: readonly Group[], patches: number): Group[][] {
  const parts: Group[][] = [];
  let count = Infinity;
  for (const group of groups) {
    if (count >= patches) {
      parts.push([]);
      count = 0;
    }
    parts[parts.length - 1].push(group);
    count += group.count;
  }
  return parts;
}
