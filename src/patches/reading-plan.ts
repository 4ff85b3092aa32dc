/**
 * How a set of images is read that need not fit into memory: what its patches are drawn from at a
 * time, and in which pieces.
 */
import { expected } from "../errors.js";
import { leafSizeFor } from "../kernels/reduction-tree.js";

/** Depends on the images alone, so that every process that works on a fit has the same one. */
export interface ReadingPlan {
  /** Images in memory at once. */
  readonly window: number;
  /**
   * Where each run begins, the first one at 0: images that are best read one after the other. Left
   * out: each is one by itself.
   */
  readonly runs?: Uint32Array;
}

/** What a batch is cut into: each leaf of it is from one lane, rows first … first + rows − 1. */
export interface LaneShape {
  readonly firstRow: number;
  readonly rows: number;
  /** Images that it has in memory. */
  readonly window: number;
  /** By how many images its window moves after a block, on average. */
  readonly stride: number;
  readonly turns: Turns;
}

/** Of every `period` things that are dealt, those from the `first` on, `count` of them. */
export interface Turns {
  readonly first: number;
  readonly count: number;
  readonly period: number;
}

/**
 * As long as a run of an archive should be able to be, so that eight small reads are one; and lanes
 * are to mix what they read.
 */
const leastWindowOfLane = 8;

/**
 * Into how many lanes the images are dealt: 1 where all of them fit in, otherwise the largest power
 * of two that
 *
 *   is at most the number of leaves of the batch, and
 *   leaves each lane a window of 8 images and of the longest run, at least,
 *
 * whoever computes. Who makes some leaves of each batch only then needs the images of their lanes
 * only.
 */
export function lanesFor(images: number, { window, runs }: ReadingPlan, batch: number): number {
  if (window >= images) return 1;
  const leastWindow = Math.max(leastWindowOfLane, longestRun(images, runs));
  return powerOfTwoUpTo(Math.min(leavesOf(batch), Math.floor(window / leastWindow)));
}

export function leavesOf(batch: number): number {
  return Math.ceil(batch / leafSizeFor(batch));
}

/**
 * Lane l has the leaves ⌈l · leaves / lanes⌉ … ⌈(l + 1) · leaves / lanes⌉ − 1: leaf ℓ is from lane
 * ⌊ℓ · lanes / leaves⌋.
 */
export function laneOfLeaf(leaf: number, lanes: number, batch: number): number {
  return Math.floor((leaf * lanes) / leavesOf(batch));
}

/**
 * Everything is in proportion to the rows of a lane: how many images it is dealt, has in memory,
 * and replaces after a block. Then each image gives equally many patches in each of its turns,
 * whichever lane it is in. `window` and `stride` are those of all lanes together.
 */
export function laneShapes(
  lanes: number,
  batch: number,
  window: number,
  stride: number,
): LaneShape[] {
  const [leaves, leafSize] = [leavesOf(batch), leafSizeFor(batch)];
  const rowAt = (lane: number): number =>
    Math.min(batch, leafSize * Math.ceil((lane * leaves) / lanes));
  const rowsOf = (lane: number): number => rowAt(lane + 1) - rowAt(lane);
  const numbers = Array.from({ length: lanes }, (_, lane) => lane);
  // With equal rows, one of as many as there are lanes.
  const unit = numbers.map(rowsOf).reduce(greatestCommonDivisor);
  return numbers.map((lane) => {
    const [firstRow, rows] = [rowAt(lane), rowsOf(lane)];
    const turns = { first: firstRow / unit, count: rows / unit, period: batch / unit };
    const strideOfLane = (stride * rows) / batch;
    // No image must be stepped over.
    const least = Math.max(1, Math.ceil(strideOfLane));
    const share = Math.floor((window * rows) / batch);
    return { firstRow, rows, window: Math.max(least, share), stride: strideOfLane, turns };
  });
}

/** Where an image lies among others. */
export interface ImagePlace {
  /** Name of the archive that it is in; left out: a file by itself. */
  readonly archive?: string;
  /** Of the file, or of its part of the archive. */
  readonly bytes?: number;
}

/** Longer runs would save no time; and what is read of them waits in memory. */
const mostOfRun = 32;
const bytesOfRun = 2 ** 20;

/**
 * Cuts images into runs: a file is one by itself, those of an archive are cut into equal pieces of
 * at most 1 MB and 32 images, or fewer (down to 8), so that a window holds 32 of them. Undefined
 * where there are no archives.
 */
export function runsOf(images: readonly ImagePlace[], window: number): Uint32Array | undefined {
  const most = Math.min(mostOfRun, window, Math.max(leastWindowOfLane, Math.floor(window / 32)));
  const starts: number[] = [];
  for (let first = 0, end = 0; first < images.length; first = end) {
    const { archive } = images[first];
    let bytes = 0;
    do bytes += images[end++].bytes ?? 0;
    while (archive !== undefined && end < images.length && images[end].archive === archive);
    const count = end - first;
    const pieces = Math.min(count, Math.ceil(Math.max(count / most, bytes / bytesOfRun)));
    for (let k = 0; k < pieces; k++) starts.push(first + Math.floor((k * count) / pieces));
  }
  return starts.length === images.length ? undefined : Uint32Array.from(starts);
}

/** @throws GaussianizeError where they do not cover the images */
export function checkRuns(images: number, runs: Uint32Array | undefined): void {
  if (!runs) return;
  if (runs[0] !== 0) throw expected("the first run", "begin at image 0", runs[0]);
  const wrong = runs.findIndex((start, k) => start >= images || (k > 0 && start <= runs[k - 1]));
  if (wrong === -1) return;
  const rule = `begin after the run before it, and before image ${images}`;
  throw expected(`run ${wrong}`, rule, runs[wrong]);
}

/**
 * The runs that are left of those of all images, where only `chosen` ones (ascending) are used, by
 * their places among these.
 */
export function runsAmong(
  chosen: Uint32Array,
  runs: Uint32Array | undefined,
): Uint32Array | undefined {
  if (!runs) return undefined;
  const starts: number[] = [];
  let run = -1;
  chosen.forEach((index, place) => {
    const before = run;
    while (run + 1 < runs.length && runs[run + 1] <= index) run++;
    if (run !== before) starts.push(place);
  });
  return Uint32Array.from(starts);
}

function longestRun(images: number, runs: Uint32Array | undefined): number {
  if (!runs) return 1;
  return runs.reduce((most, start, k) => Math.max(most, (runs[k + 1] ?? images) - start), 1);
}

function greatestCommonDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestCommonDivisor(other, one % other);
}

/** (Bits, since Math.log2 may differ between engines.) */
function powerOfTwoUpTo(value: number): number {
  return value < 1 ? 1 : 1 << (31 - Math.clz32(value));
}
