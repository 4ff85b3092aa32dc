/**
 * Passes of a transform over a whole batch: cut into tasks, run, and joined in the order of the
 * reduction tree.
 */
import { expected } from "../errors.js";
import { concatenated } from "../kernels/concatenated.js";
import type { FloatArray, Kernels } from "../kernels/kernels.js";
import { type TreeNode, joinTree, leafSizeFor, splitTree } from "../kernels/reduction-tree.js";
import type { Job, JobInput, TaskList, TaskRunner } from "../parallel/job.js";
import { stagesOf } from "../transforms/cascade.js";
import { checkFields } from "../transforms/checks.js";
import { mapParameters } from "../transforms/parameters.js";
import { kindOf } from "../transforms/stage-kinds.js";
import type { ParameterGroups, Stage, Transform } from "../transforms/transform.js";
import {
  type ProbeRequest,
  type TransformTask,
  type TransformTaskResult,
  transformJob,
} from "./transform-job.js";

/** How a caller watches and stops a pass. */
export interface BatchOptions {
  /** Stops the pass between two tasks; it then fails with the signal's reason. */
  readonly signal?: AbortSignal;
  /** After each task: samples done, samples in all. */
  readonly onProgress?: (done: number, total: number) => void;
}

type WithoutArrays<Task> = Omit<Task, "x" | "y" | "upstream">;
/** A pass over all samples, whose arrays are yet to be cut. */
export type BatchRequest =
  | (WithoutArrays<Extract<TransformTask, { pass: "gaussianize" }>> & { readonly x: FloatArray })
  | (WithoutArrays<Extract<TransformTask, { pass: "apply" }>> & { readonly x: FloatArray })
  | (Omit<WithoutArrays<Extract<TransformTask, { pass: "backpropagate" }>>, "probes"> & {
      readonly x: FloatArray;
      readonly upstream: FloatArray | null;
      readonly probes?: Omit<ProbeRequest, "firstLeaf"> | undefined;
    })
  | (WithoutArrays<Extract<TransformTask, { pass: "synthesize" }>> & { readonly y: FloatArray });

const optionFields: readonly string[] = ["signal", "onProgress"];

/** Most often what comes instead is the promise of one. */
export function checkRunner(runner: TaskRunner, name = "the first argument"): void {
  const isRunner = typeof (runner as Partial<TaskRunner> | null | undefined)?.run === "function";
  if (!isRunner) throw expected(name, "be a runner: await openRunner()", runner);
}

/**
 * A misspelled option must not silently do nothing; `more` are the fields that a pass has beyond
 * those of all.
 */
export function checkCall(
  runner: TaskRunner,
  options: BatchOptions | undefined,
  ...more: readonly string[]
): void {
  checkRunner(runner);
  if (options) checkFields("the options", options, [...optionFields, ...more]);
}

/** The results of all samples, in their order. */
export async function runBatch(
  runner: TaskRunner,
  transform: Transform,
  request: BatchRequest,
  options?: BatchOptions,
): Promise<TransformTaskResult> {
  const leafSize = leafSizeFor(countOf(request, transform));
  return runLeaves(runner, transform, request, leafSize, options);
}

function countOf(request: BatchRequest, { dimension }: Transform): number {
  return (request.pass === "synthesize" ? request.y : request.x).length / dimension;
}

/**
 * The same for samples that are a node of a larger batch's tree: its leaves are of the size that
 * those of the whole batch have.
 */
export async function runLeaves(
  runner: TaskRunner,
  transform: Transform,
  request: BatchRequest,
  leafSize: number,
  options?: BatchOptions,
  firstLeaf = 0,
): Promise<TransformTaskResult> {
  const n = transform.dimension;
  const count = countOf(request, transform);
  const leaves = Math.ceil(count / leafSize);
  const nodes = splitTree(
    leaves,
    partsFor(runner.size, count, samplesOfTask(request, transform, runner)),
  );
  const maximumLeaves = nodes.reduce((most, node) => Math.max(most, node.leaves), 1);
  const stages = stagesOf(inPrecision(runner.kernels, transform));
  const ranges = nodes.map((node) => rangeOf(node, leafSize, count));
  const leafAt = ({ first }: SampleRange): number => firstLeaf + first / leafSize;
  const results = await runRanges(
    runner,
    transformJob,
    { stages, leaves: { leafSize, maximumLeaves } },
    ranges,
    (range) => taskFor(request, range, n, leafAt(range)),
    options,
  );
  return joinResults(results, leaves, nodes);
}

/** A run of consecutive samples. */
export interface SampleRange {
  readonly first: number;
  readonly end: number;
}

/** One task for each range, made when it is handed out; progress is counted in samples. */
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

/**
 * Rounded to what the kernels compute with: every worker gets a copy, and half the bytes are half
 * the wait.
 */
function inPrecision(kernels: Kernels, transform: Transform): Transform {
  return mapParameters(transform, (values) => {
    const rounded = kernels.floats(values.length);
    if (rounded.constructor === values.constructor) return values;
    rounded.set(values);
    return rounded;
  });
}

/** Approximate number of operations of one sample. */
export function operationsOf(stage: Stage): number {
  return kindOf(stage).operations(stage);
}

/**
 * About a tenth of a second of work: long enough to be worth a message, short enough to stop at.
 */
const operationsOfTask = 1e9;
const mostSamplesOfTask = 16384;
/** Tasks that bring gradient sums home are larger: the sums are as large as the parameters. */
const tasksForSums = 32;
/** Where one thread does all, which may be the caller's: it hears nobody while it does a task. */
const tasksForOwnSums = 2;

function samplesOfTask(request: BatchRequest, transform: Transform, { size }: TaskRunner): number {
  const operations = stagesOf(transform).reduce((sum, stage) => sum + operationsOf(stage), 0);
  const samples = Math.min(mostSamplesOfTask, Math.ceil(operationsOfTask / operations));
  const bringsSums = request.pass === "backpropagate" && request.wantsSums;
  if (!bringsSums) return samples;
  return (size === 1 ? tasksForOwnSums : tasksForSums) * samples;
}

/**
 * A part for each worker at least; a number of workers that does not divide the tree evenly gets
 * more, smaller ones.
 */
function partsFor(workers: number, count: number, samples: number): number {
  const isPowerOfTwo = (workers & (workers - 1)) === 0;
  return Math.max(isPowerOfTwo ? workers : 2 * workers, Math.ceil(count / samples));
}

function rangeOf({ firstLeaf, leaves }: TreeNode, leafSize: number, count: number): SampleRange {
  const first = firstLeaf * leafSize;
  return { first, end: Math.min(first + leaves * leafSize, count) };
}

/** Copies, which then move to the worker; the caller keeps its arrays. */
function taskFor(
  request: BatchRequest,
  { first, end }: SampleRange,
  n: number,
  firstLeaf: number,
): JobInput<TransformTask> {
  const cut = <T extends FloatArray | null>(values: T): T =>
    (values ? values.slice(first * n, end * n) : null) as T;
  if (request.pass === "synthesize") {
    const task = { ...request, y: cut(request.y) };
    return { task, transfer: [task.y.buffer as ArrayBuffer] };
  }
  if (request.pass === "gaussianize" || request.pass === "apply") {
    const task = { ...request, x: cut(request.x) };
    return { task, transfer: [task.x.buffer as ArrayBuffer] };
  }
  const { probes, ...others } = request;
  const task = {
    ...others,
    x: cut(request.x),
    upstream: cut(request.upstream),
    ...(probes && { probes: { ...probes, firstLeaf } }),
  };
  const arrays = task.upstream ? [task.x, task.upstream] : [task.x];
  return { task, transfer: arrays.map(({ buffer }) => buffer as ArrayBuffer) };
}

function joinResults(
  results: readonly TransformTaskResult[],
  leaves: number,
  nodes: readonly TreeNode[],
): TransformTaskResult {
  const join = <K extends Exclude<keyof TransformTaskResult, "sums">>(key: K) =>
    joinParts(results.map((result) => result[key])) as TransformTaskResult[K];
  return {
    y: join("y"),
    logDeterminant: join("logDeterminant"),
    energy: join("energy"),
    failedStage: join("failedStage"),
    failedComponent: join("failedComponent"),
    xGradient: join("xGradient"),
    x: join("x"),
    converged: join("converged"),
    iterations: join("iterations"),
    residual: join("residual"),
    sums: joinTree(
      leaves,
      nodes,
      results.map((result) => result.sums),
      addSums,
    ),
  };
}

type AnyArray = FloatArray | Int32Array | Uint8Array;

/** Of what every task was asked for, or none. */
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
      for (let k = 0; k < target.length; k++) target[k] += source[k];
    }
  });
  return left;
}
