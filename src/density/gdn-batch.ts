/** Passes of one GDN layer over a whole batch: cut into tasks, run, and joined in the order of the reduction tree. */
import type { FloatArray, GdnGradient, GdnParameters, Kernels } from "../kernels/kernels.js";
import { type TreeNode, joinTree, leafSizeFor, splitTree } from "../kernels/reduction-tree.js";
import type { JobInput, TaskRunner } from "../parallel/job.js";
import { type GdnTask, type GdnTaskResult, gdnJob } from "./gdn-job.js";

export interface BatchRequest {
  readonly pass: GdnTask["pass"];
  readonly upstream?: FloatArray;
  readonly wantsY?: boolean;
  readonly wantsInputGradient?: boolean;
  readonly wantsSums?: boolean;
}

/** The results of all samples, in their order. */
export async function runGdnBatch(
  runner: TaskRunner,
  parameters: GdnParameters,
  x: FloatArray,
  request: BatchRequest,
): Promise<GdnTaskResult> {
  const n = parameters.dimension;
  const count = x.length / n;
  const leafSize = leafSizeFor(count);
  const leaves = Math.ceil(count / leafSize);
  const nodes = splitTree(leaves, partsFor(runner.size));
  const maximumLeaves = Math.max(...nodes.map((node) => node.leaves));
  const inputs = nodes.map((node) => taskFor(node, leafSize, n, x, request));
  const shared = { parameters: inPrecision(runner.kernels, parameters), leafSize, maximumLeaves };
  const results = await runner.run(gdnJob, shared, inputs);
  return {
    y: concatenateAny(results.map((result) => result.y)),
    logDeterminant: concatenateAll(results.map((result) => result.logDeterminant)),
    energy: concatenateAll(results.map((result) => result.energy)),
    failedPivot: concatenateAll(results.map((result) => result.failedPivot)),
    xGradient: concatenateAny(results.map((result) => result.xGradient)),
    sums: joinTree(
      leaves,
      nodes,
      results.map((result) => result.sums),
      addGradients,
    ),
  };
}

/** Rounded to what the kernels compute with: every worker gets a copy, and half the bytes are half the wait. */
function inPrecision(kernels: Kernels, parameters: GdnParameters): GdnParameters {
  const round = (values: FloatArray): FloatArray => {
    const rounded = kernels.floats(values.length);
    if (rounded.constructor === values.constructor) return values;
    rounded.set(values);
    return rounded;
  };
  const { H, alpha, beta, gamma, epsilon } = parameters;
  return {
    ...parameters,
    H: H && round(H),
    alpha: round(alpha),
    beta: round(beta),
    gamma: round(gamma),
    epsilon: round(epsilon),
  };
}

/** A number of workers that does not divide the tree evenly gets more, smaller parts to share out. */
function partsFor(workers: number): number {
  const isPowerOfTwo = (workers & (workers - 1)) === 0;
  return isPowerOfTwo ? workers : 2 * workers;
}

function taskFor(
  node: TreeNode,
  leafSize: number,
  n: number,
  x: FloatArray,
  request: BatchRequest,
): JobInput<GdnTask> {
  const first = node.firstLeaf * leafSize;
  const end = Math.min(first + node.leaves * leafSize, x.length / n);
  // Copies, which then move to the worker; the caller keeps its arrays.
  const part = x.slice(first * n, end * n);
  const upstream = request.upstream?.slice(first * n, end * n) ?? null;
  const task: GdnTask = {
    pass: request.pass,
    x: part,
    count: end - first,
    upstream,
    wantsY: request.wantsY ?? false,
    wantsInputGradient: request.wantsInputGradient ?? false,
    wantsSums: request.wantsSums ?? false,
  };
  const transfer = [part.buffer, ...(upstream ? [upstream.buffer] : [])] as ArrayBuffer[];
  return { task, transfer };
}

function concatenateAll<T extends Float32Array | Float64Array | Int32Array>(
  parts: readonly T[],
): T {
  if (parts.length === 1) return parts[0];
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const joined = new (parts[0].constructor as new (length: number) => T)(length);
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** Of what every task was asked for, or none. */
function concatenateAny(parts: readonly (FloatArray | null)[]): FloatArray | null {
  const present = parts.filter((part) => part !== null);
  return present.length === 0 ? null : concatenateAll(present);
}

/** left += right, group by group. */
function addGradients(left: GdnGradient | null, right: GdnGradient | null): GdnGradient | null {
  if (!left || !right) return null;
  for (const group of Object.keys(left) as (keyof GdnGradient)[]) {
    const [target, source] = [left[group], right[group]];
    if (!target || !source) continue;
    for (let k = 0; k < target.length; k++) target[k] += source[k];
  }
  return left;
}
