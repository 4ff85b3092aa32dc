/** Runs a pass of a transform over a batch: splits it into tasks, and joins their results. */
import { expected } from "../errors.js";
import { concatenated } from "../kernels/concatenated.js";
import { addTo, inPrecision } from "../kernels/float-arrays.js";
import type { FloatArray, Kernels } from "../kernels/kernels.js";
import { type TreeNode, joinTree, leafSizeFor, splitTree } from "../kernels/reduction-tree.js";
import type { Job, JobInput, TaskList, TaskRunner } from "../parallel/job.js";
import { stagesOf } from "../transforms/cascade.js";
import { checkFields } from "../transforms/checks.js";
import { formOf } from "../transforms/gdn-structures.js";
import { mapParameters } from "../transforms/parameters.js";
import { kindOf } from "../transforms/stage-kinds.js";
import type { ParameterGroups, Stage, Transform } from "../transforms/transform.js";
import {
  type TransformTask,
  type TransformTaskResult,
  noResult,
  transformJob,
} from "./transform-job.js";

/** Options to watch and stop a pass. */
export interface BatchOptions {
  /** Stops the pass between two tasks; it then throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each task with the number of samples done and in total. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

const optionFields: readonly string[] = ["signal", "onProgress"];

/** Rejects anything but a runner; most often it is given a promise of one. */
export function checkRunner(runner: TaskRunner, name = "the first argument"): void {
  const isRunner = typeof (runner as Partial<TaskRunner> | null | undefined)?.run === "function";
  if (!isRunner) throw expected(name, "be a runner: await openRunner()", runner);
}

/** Checks a runner and the names of options; `more` are names that only this pass has. */
export function checkCall(
  runner: TaskRunner,
  options: BatchOptions | undefined,
  ...more: readonly string[]
): void {
  checkRunner(runner);
  if (options) checkFields("the options", options, [...optionFields, ...more]);
}

/**
 * Returns the results of all samples, in order. Parts of a batch whose sizes vary have the leaf
 * size of the whole `batch`, so that workers can reuse their memory.
 */
export async function runBatch(
  runner: TaskRunner,
  transform: Transform,
  request: TransformTask,
  options?: BatchOptions,
  batch = countOf(request, transform),
): Promise<TransformTaskResult> {
  const leafSize = leafSizeFor(batch);
  const factor = leafFactor(request, transform, leafSize);
  return runLeaves(runner, transform, request, factor * leafSize, options);
}

/** Samples in a leaf of products with shared matrices, which are faster for larger leaves. */
const samplesOfProducts = 32;

/**
 * Returns the number of leaves that a pass joins into one: several if its gradients are products of
 * whole leaves, estimated or in closed form. It is a power of two, so the joined leaves are a node
 * of the tree, and the bits do not depend on how the batch is cut.
 */
export function leafFactor(request: TransformTask, transform: Transform, leafSize: number): number {
  if (request.pass !== "backpropagate" || !request.wantsSums) return 1;
  if (!request.probes && !stagesOf(transform).some(gainsByLargeLeaves)) return 1;
  let factor = 1;
  while (2 * factor * leafSize <= samplesOfProducts) factor *= 2;
  return factor;
}

/**
 * Whether the gradients of a stage are products of whole leaves: those of couplings, and those of
 * normalisations with tied weights in closed form. Low-rank pools keep small leaves, so that a fit
 * can have many ranks.
 */
function gainsByLargeLeaves(stage: Stage): boolean {
  if (stage.kind === "coupling") return true;
  if (stage.kind !== "gdn" || stage.structure === "low-rank") return false;
  return formOf(stage).form === "low-rank";
}

function countOf(request: TransformTask, { dimension }: Transform): number {
  return (request.pass === "synthesize" ? request.y : request.x).length / dimension;
}

/** Like {@link runBatch}, for a node of the tree of a larger batch, with its leaf size. */
export async function runLeaves(
  runner: TaskRunner,
  transform: Transform,
  request: TransformTask,
  leafSize: number,
  options?: BatchOptions,
): Promise<TransformTaskResult> {
  const n = transform.dimension;
  const count = countOf(request, transform);
  const leaves = Math.ceil(count / leafSize);
  const nodes = splitTree(
    leaves,
    partsFor(runner.size, count, samplesOfTask(request, transform, runner)),
  );
  const maximumLeaves = nodes.reduce((most, node) => Math.max(most, node.leaves), 1);
  const stages = stagesOf(parametersInPrecision(runner.kernels, transform));
  const ranges = nodes.map((node) => rangeOf(node, leafSize, count));
  const results = await runRanges(
    runner,
    transformJob,
    { stages, leaves: { leafSize, maximumLeaves } },
    ranges,
    (range) => taskFor(request, range, n, leafSize),
    options,
  );
  return joinResults(results, leaves, nodes);
}

/** Consecutive samples. */
export interface SampleRange {
  readonly first: number;
  readonly end: number;
}

/** Runs one task per range, made when a worker takes it; progress is counted in samples. */
export function runRanges<Shared, Task, Result>(
  runner: TaskRunner,
  job: Job<Shared, Task, Result>,
  shared: Shared,
  ranges: readonly SampleRange[],
  taskOf: (range: SampleRange) => JobInput<Task>,
  { signal, onProgress }: BatchOptions = {},
): Promise<Result[]> {
  const samplesOf = ({ first, end }: SampleRange): number => end - first;
  const total = ranges.reduce((sum, range) => sum + samplesOf(range), 0);
  let done = 0;
  const inputs: TaskList<Task> = { length: ranges.length, at: (k) => taskOf(ranges[k]) };
  return runner.run(job, shared, inputs, {
    signal,
    onTaskDone: (k) => {
      done += samplesOf(ranges[k]);
      onProgress?.(done, total);
    },
  });
}

/** Rounds parameters to the precision of the kernels, to send fewer bytes to each worker. */
function parametersInPrecision(kernels: Kernels, transform: Transform): Transform {
  return mapParameters(transform, (values) => inPrecision(kernels, values));
}

/** Returns the approximate number of operations per sample. */
export function operationsOf(stage: Stage): number {
  return kindOf(stage).operations(stage);
}

/** Products with N×N matrices that an estimated gradient takes, about. */
const productsOfEstimate = 20;
/** Operations per task, about 0.1 s: worth a message, and short enough to stop between tasks. */
const operationsOfTask = 1e9;
const mostSamplesOfTask = 16384;
/** Factor for tasks that return gradient sums, which are as large as the parameters. */
const tasksForSums = 32;
/** The same for a single thread, which may be the caller's and is blocked during a task. */
const tasksForOwnSums = 2;

function samplesOfTask(request: TransformTask, transform: Transform, { size }: TaskRunner): number {
  const isEstimated = request.pass === "backpropagate" && request.probes !== undefined;
  const operations = stagesOf(transform)
    .map((stage) => [operationsOf(stage), stage.dimension] as const)
    .map(([all, n]) => (isEstimated ? Math.min(all, productsOfEstimate * n * n) : all))
    .reduce((sum, value) => sum + value, 0);
  const samples = Math.min(mostSamplesOfTask, Math.ceil(operationsOfTask / operations));
  const bringsSums = request.pass === "backpropagate" && request.wantsSums;
  if (!bringsSums) return samples;
  return (size === 1 ? tasksForOwnSums : tasksForSums) * samples;
}

/** Returns at least one part per worker, two if the workers do not divide the tree evenly. */
function partsFor(workers: number, count: number, samples: number): number {
  const isPowerOfTwo = (workers & (workers - 1)) === 0;
  return Math.max(isPowerOfTwo ? workers : 2 * workers, Math.ceil(count / samples));
}

function rangeOf({ firstLeaf, leaves }: TreeNode, leafSize: number, count: number): SampleRange {
  const first = firstLeaf * leafSize;
  return { first, end: Math.min(first + leaves * leafSize, count) };
}

/** Copies a range of samples; the copies move to the worker, and the caller keeps its arrays. */
function taskFor(
  request: TransformTask,
  { first, end }: SampleRange,
  n: number,
  leafSize: number,
): JobInput<TransformTask> {
  const transfer: ArrayBuffer[] = [];
  const fields = Object.entries(request).map(([name, value]: [string, unknown]) => {
    if (!(value instanceof Float32Array || value instanceof Float64Array)) return [name, value];
    const part = value.slice(first * n, end * n);
    transfer.push(part.buffer);
    return [name, part];
  });
  const task = Object.fromEntries(fields) as TransformTask;
  if (task.pass !== "backpropagate" || !task.probes) return { task, transfer };
  const { probes } = task;
  const firstLeaf = probes.firstLeaf + first / leafSize;
  return { task: { ...task, probes: { ...probes, firstLeaf } }, transfer };
}

function joinResults(
  results: readonly TransformTaskResult[],
  leaves: number,
  nodes: readonly TreeNode[],
): TransformTaskResult {
  const names = Object.keys(noResult).filter((name) => name !== "sums") as (keyof SampleArrays)[];
  const joined = names.map((name) => [name, joinParts(results.map((result) => result[name]))]);
  const sums = results.map((result) => result.sums);
  return {
    ...(Object.fromEntries(joined) as SampleArrays),
    sums: joinTree(leaves, nodes, sums, addSums),
  };
}

type SampleArrays = Omit<TransformTaskResult, "sums">;

type AnyArray = FloatArray | Int32Array | Uint8Array;

/** Joins the arrays of all tasks, or returns null if the pass has none. */
function joinParts(parts: readonly (AnyArray | null)[]): AnyArray | null {
  const present = parts.filter((part) => part !== null);
  if (present.length === 0) return null;
  if (present.length === 1) return present[0];
  return concatenated(present[0].constructor as new (length: number) => AnyArray, present);
}

type Sums = readonly ParameterGroups[] | null;

/** left += right, group by group. */
function addSums(left: Sums, right: Sums): Sums {
  left?.forEach((groups, stage) => {
    for (const [name, target] of Object.entries(groups)) {
      const source = right?.[stage][name] as FloatArray;
      addTo(target, source);
    }
  });
  return left;
}
