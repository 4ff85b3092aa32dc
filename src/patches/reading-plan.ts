/** Plan for reading a set of images that may not fit into memory: windows, runs and lanes. */
import { expected } from "../errors.js";
import { leafSizeFor } from "../kernels/reduction-tree.js";

/** A plan depends only on the images, so all processes of a fit have the same one. */
export interface ReadingPlan {
  /** Images in memory at once. */
  readonly window: number;
  /** First image of each run of images that are best read in order; default runs of one image. */
  readonly runs?: Uint32Array;
}

/** A part of a batch: each leaf belongs to one lane. */
export interface LaneShape {
  readonly firstRow: number;
  readonly rows: number;
  /** Images of the lane in memory. */
  readonly window: number;
  /** Images by which the window moves after a block, on average. */
  readonly stride: number;
  readonly turns: Turns;
}

/** `count` of every `period` runs, from number `first` on. */
export interface Turns {
  readonly first: number;
  readonly count: number;
  readonly period: number;
}

/**
 * Smallest window of a lane: it mixes its images, and eight small reads of an archive become one.
 */
const leastWindowOfLane = 8;

/**
 * Returns the number of lanes: 1 if all images fit in, otherwise the largest power of two that
 *
 *   is at most the number of leaves of the batch, and
 *   leaves each lane a window of at least 8 images and of the longest run.
 *
 * It does not depend on the processes. A process that makes some leaves of each batch needs only
 * the images of their lanes.
 */
export function lanesFor(images: number, { window, runs }: ReadingPlan, batch: number): number {
  if (window >= images) return 1;
  const leastWindow = Math.max(leastWindowOfLane, longestRun(images, runs));
  return powerOfTwoUpTo(Math.min(leavesOf(batch), Math.floor(window / leastWindow)));
}

export function leavesOf(batch: number): number {
  return Math.ceil(batch / leafSizeFor(batch));
}

/** Returns the lane of a leaf. Lane l has the leaves ⌈l · leaves / lanes⌉ and following. */
export function laneOfLeaf(leaf: number, lanes: number, batch: number): number {
  return Math.floor((leaf * lanes) / leavesOf(batch));
}

/**
 * Returns the shapes of lanes. The images that a lane is dealt, has in memory and replaces after a
 * block are proportional to its rows, so every image gives equally many patches in any lane.
 * `window` and `stride` are those of all lanes together.
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
  const unit = numbers.map(rowsOf).reduce(greatestCommonDivisor);
  return numbers.map((lane) => {
    const [firstRow, rows] = [rowAt(lane), rowsOf(lane)];
    const turns = { first: firstRow / unit, count: rows / unit, period: batch / unit };
    const strideOfLane = (stride * rows) / batch;
    // The window must not skip an image.
    const least = Math.max(1, Math.ceil(strideOfLane));
    const share = Math.floor((window * rows) / batch);
    return { firstRow, rows, window: Math.max(least, share), stride: strideOfLane, turns };
  });
}

/** Location of an image. */
export interface ImagePlace {
  /** Name of its archive, if any. */
  readonly archive?: string;
  /** Size of the file, or of its part of the archive. */
  readonly bytes?: number;
}

/** Limits of a run: longer ones save no time and take memory. */
const mostOfRun = 32;
const bytesOfRun = 2 ** 20;

/**
 * Cuts images into runs: a file is one run; an archive is cut into equal runs of at most 1 MB and
 * 32 images, or fewer (down to 8), so that a window holds 32 runs. Undefined without archives.
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

/** @throws GaussianizeError if the runs do not cover the images */
export function checkRuns(images: number, runs: Uint32Array | undefined): void {
  if (!runs) return;
  if (runs[0] !== 0) throw expected("the first run", "begin at image 0", runs[0]);
  const wrong = runs.findIndex((start, k) => start >= images || (k > 0 && start <= runs[k - 1]));
  if (wrong === -1) return;
  const rule = `begin after the run before it, and before image ${images}`;
  throw expected(`run ${wrong}`, rule, runs[wrong]);
}

/** Returns the runs among the `chosen` images (ascending), by their places among these. */
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

/** Computed from bits, because Math.log2 may differ between engines. */
function powerOfTwoUpTo(value: number): number {
  return value < 1 ? 1 : 1 << (31 - Math.clz32(value));
}
