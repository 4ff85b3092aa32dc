/**
 * Passes over a batch that ranks share: each has one node of the reduction tree
 * (kernels/reduction-tree.ts). The sums of the nodes are added in the order of that tree, so the
 * bits do not depend on the number of ranks:
 *
 *   1  each rank r has the sums s_r of its node, L numbers, and owns slice r of L/P of them
 *   2  each rank sends slice k of its sums to rank k, which adds them in the order of the tree
 *   3  each rank receives all slices
 *
 * Each rank sends and receives 2 L (P − 1)/P numbers, as in an optimal Allreduce. The results of
 * the samples travel with step 3.
 */
import { expected } from "../errors.js";
import { addTo } from "../kernels/float-arrays.js";
import type { FloatArray } from "../kernels/kernels.js";
import { type TreeNode, joinTree, leafSizeFor, splitTree } from "../kernels/reduction-tree.js";
import { LonelyFailure } from "../parallel/agreement.js";
import type { TaskRunner } from "../parallel/job.js";
import { type Blocks, type Ranks, blockAt, blocksOf } from "../parallel/ranks.js";
import type { ParameterGroups, Transform } from "../transforms/transform.js";
import { leafFactor, runLeaves } from "./batch-passes.js";
import { type TransformTask, type TransformTaskResult, noResult } from "./transform-job.js";

/** Division of a batch of `count` samples among ranks. */
export interface Shares {
  readonly count: number;
  readonly leafSize: number;
  readonly leaves: number;
  /** One node per rank; ranks beyond the last node have no work. */
  readonly nodes: readonly TreeNode[];
}

export function sharesOf(count: number, ranks: number): Shares {
  const leafSize = leafSizeFor(count);
  const leaves = Math.ceil(count / leafSize);
  return { count, leafSize, leaves, nodes: splitTree(leaves, ranks) };
}

/** Returns the range of samples of a rank. */
export function samplesOf({ count, leafSize, nodes }: Shares, rank: number) {
  const { firstLeaf, leaves } = nodes.at(rank) ?? { firstLeaf: 0, leaves: 0 };
  const first = Math.min(count, firstLeaf * leafSize);
  return { first, end: Math.min(count, (firstLeaf + leaves) * leafSize) };
}

/** Rejects a batch that leaves a rank without work; passes join `factor` leaves into one. */
export function requireWorkForAll(batch: number, ranks: number, factor = 1): void {
  const { leaves, leafSize } = sharesOf(batch, ranks);
  const most = Math.ceil(leaves / factor);
  if (ranks <= most) return;
  const least = factor * leafSize;
  throw expected(
    "the number of ranks",
    `be at most ${most} with a batch of ${batch} (each needs at least ${least} samples)`,
    ranks,
  );
}

/** Bytes of the results of a sample: three Float64, three Int32, and padding. */
const bytesOfSample = 40;
const sampleFields = ["logDeterminant", "energy", "failedStage", "failedComponent"] as const;
/** Results that only estimated gradients have. */
const estimateFields = ["residual", "iterations"] as const;
/** Slices begin at multiples of this many numbers, to align the messages. */
const sliceUnit = 16;

export class RankedPasses {
  private buffers: Buffers | undefined;

  constructor(readonly ranks: Ranks) {}

  /**
   * Runs a pass over `count` samples, of which `request` holds this rank's share. Returns the
   * results of all samples, without y and gradients by x.
   *
   * @throws LonelyFailure
   */
  async run(...work: Parameters<RankedPasses["runTogether"]>): Promise<TransformTaskResult> {
    try {
      return await this.runTogether(...work);
    } catch (error) {
      throw new LonelyFailure(error);
    }
  }

  private async runTogether(
    runner: TaskRunner,
    transform: Transform,
    request: Extract<TransformTask, { pass: "gaussianize" | "backpropagate" }>,
    count: number,
  ): Promise<TransformTaskResult> {
    const { rank, size } = this.ranks;
    const shares = sharesOf(count, size);
    const { first, end } = samplesOf(shares, rank);
    const held = request.x.length / transform.dimension;
    if (held !== end - first) throw expected("a rank's share", `be of ${end - first}`, held);
    const factor = leafFactor(request, transform, shares.leafSize);
    const leafSize = factor * shares.leafSize;
    requireWorkForAll(count, size, factor);
    const own =
      held > 0
        ? await runLeaves(runner, transform, ownPart(request, first / leafSize), leafSize)
        : null;
    const buffers = this.buffersFor(shares, own?.sums ?? null);
    if (own?.sums) await this.addSlices(buffers, own.sums, shares);
    if (own) buffers.writeSamples(own, rank);
    await this.ranks.gather(buffers.own, buffers.all);
    return { ...noResult, ...buffers.samples(shares), sums: buffers.readSums(own?.sums ?? null) };
  }

  /** Steps 1 and 2: writes the sums of this rank's slice into its message. */
  private async addSlices(
    buffers: Buffers,
    sums: readonly ParameterGroups[],
    { leaves, nodes }: Shares,
  ): Promise<void> {
    buffers.writeSums(sums);
    await this.ranks.exchange(buffers.send, buffers.receive);
    buffers.slice.set(joinTree(leaves, nodes, buffers.received, addTo));
  }

  private buffersFor(shares: Shares, sums: readonly ParameterGroups[] | null): Buffers {
    const groups = (sums ?? []).flatMap((stage) => Object.values(stage));
    const length = groups.reduce((total, group) => total + group.length, 0);
    const isDouble = groups.at(0) instanceof Float64Array;
    if (!this.buffers?.fit(shares.count, length, isDouble)) {
      this.buffers = new Buffers(this.ranks, shares, length, isDouble);
    }
    return this.buffers;
  }
}

/** Gives the leaves of a rank their numbers in the whole batch. */
function ownPart(request: TransformTask, firstLeaf: number): TransformTask {
  if (request.pass !== "backpropagate" || !request.probes) return request;
  return { ...request, probes: { ...request.probes, firstLeaf } };
}

/** Memory of passes over batches of one size, allocated once. */
class Buffers {
  readonly send: Blocks;
  readonly receive: Blocks;
  /** This rank's slice, as each rank computed it. */
  readonly received: readonly FloatArray[];
  /** Message of this rank to all others: its samples, then its slice. */
  readonly own: Uint8Array;
  readonly slice: FloatArray;
  readonly all: Blocks;
  private readonly flat: FloatArray;
  private readonly counts: readonly number[];

  constructor(
    { rank, size }: Ranks,
    private readonly shares: Shares,
    private readonly length: number,
    private readonly isDouble: boolean,
  ) {
    const width = isDouble ? 8 : 4;
    const start = (k: number): number =>
      k === size ? length : sliceUnit * Math.floor((length * k) / size / sliceUnit);
    const lengths = Array.from({ length: size }, (_, k) => width * (start(k + 1) - start(k)));
    this.counts = lengths.map((_, k) => {
      const { first, end } = samplesOf(shares, k);
      return end - first;
    });
    this.send = blocksOf(lengths);
    this.receive = blocksOf(lengths.map(() => lengths[rank]));
    this.received = lengths.map((_, k) => this.floatsOf(blockAt(this.receive, k)));
    this.all = blocksOf(lengths.map((bytes, k) => bytesOfSample * this.counts[k] + bytes));
    this.own = new Uint8Array(this.all.lengths[rank]);
    this.slice = this.floatsOf(this.own.subarray(bytesOfSample * this.counts[rank]));
    this.flat = this.floatsOf(this.send.bytes);
  }

  fit(count: number, length: number, isDouble: boolean): boolean {
    return this.shares.count === count && this.length === length && this.isDouble === isDouble;
  }

  writeSums(sums: readonly ParameterGroups[]): void {
    let offset = 0;
    for (const group of sums.flatMap((stage) => Object.values(stage))) {
      this.flat.set(group, offset);
      offset += group.length;
    }
  }

  /** Reads the sums of all ranks into the arrays of this rank. */
  readSums(sums: readonly ParameterGroups[] | null): readonly ParameterGroups[] | null {
    if (!sums) return null;
    this.counts.forEach((count, k) => {
      const slice = blockAt(this.all, k).subarray(bytesOfSample * count);
      this.send.bytes.set(slice, this.send.offsets[k]);
    });
    let offset = 0;
    for (const group of sums.flatMap((stage) => Object.values(stage))) {
      group.set(this.flat.subarray(offset, offset + group.length));
      offset += group.length;
    }
    return sums;
  }

  writeSamples(result: TransformTaskResult, rank: number): void {
    const views = viewsOfSamples(this.own, this.counts[rank]);
    for (const field of sampleFields) views[field].set(result[field] as ArrayLike<number>);
    for (const field of estimateFields) views[field].set(result[field] ?? []);
  }

  /** Returns the results of all samples, in the order of the ranks. */
  samples({ count }: Shares) {
    const joined = viewsOfSamples(new Uint8Array(bytesOfSample * count), count);
    let first = 0;
    this.counts.forEach((held, k) => {
      const views = viewsOfSamples(blockAt(this.all, k), held);
      for (const field of [...sampleFields, ...estimateFields])
        joined[field].set(views[field], first);
      first += held;
    });
    return joined;
  }

  private floatsOf({ buffer, byteOffset, byteLength }: Uint8Array): FloatArray {
    return this.isDouble
      ? new Float64Array(buffer, byteOffset, byteLength / 8)
      : new Float32Array(buffer, byteOffset, byteLength / 4);
  }
}

function viewsOfSamples({ buffer, byteOffset }: Uint8Array, count: number) {
  return {
    logDeterminant: new Float64Array(buffer, byteOffset, count),
    energy: new Float64Array(buffer, byteOffset + 8 * count, count),
    residual: new Float64Array(buffer, byteOffset + 16 * count, count),
    failedStage: new Int32Array(buffer, byteOffset + 24 * count, count),
    failedComponent: new Int32Array(buffer, byteOffset + 28 * count, count),
    iterations: new Int32Array(buffer, byteOffset + 32 * count, count),
  };
}
