/** Averages estimates of overlapping patches, which workers sum tile by tile. */
import type { GreyImage, ImageSize } from "../images/grey-image.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { Job, JobInput, JobOutput, TaskRunner } from "../parallel/job.js";
import { type PatchTile, addTile, coveringSums } from "./patch-tiles.js";

/** Sums of the estimates of each pixel of a tile, and the number of patches that cover it. */
export interface TileSums {
  readonly sums: FloatArray;
  readonly counts: Float32Array;
}

export interface TileWork<Task> {
  readonly image: ImageSize;
  readonly tiles: readonly PatchTile[];
  /** Makes the task of a tile. */
  readonly taskOf: (tile: PatchTile) => JobInput<Task>;
  readonly signal: AbortSignal | undefined;
  /** Reports the patches that are done. */
  readonly onProgress: (done: number) => void;
}

/** Tiles whose sums are in memory at a time: 8 MB for tiles of 128 pixels. */
const tilesAtOnce = 64;

/** Returns the mean estimate of each pixel, with the same bits for any number of workers. */
export async function tileAverage<Shared, Task>(
  runner: TaskRunner,
  job: Job<Shared, Task, TileSums>,
  shared: Shared,
  { image, tiles, taskOf, signal, onProgress }: TileWork<Task>,
): Promise<GreyImage> {
  const { width, height } = image;
  const pixels = new Float32Array(width * height);
  const counts = new Float32Array(width * height);
  let done = 0;
  for (let first = 0; first < tiles.length; first += tilesAtOnce) {
    const some = tiles.slice(first, first + tilesAtOnce);
    const tasks = { length: some.length, at: (k: number) => taskOf(some[k]) };
    const results = await runner.run(job, shared, tasks, {
      signal,
      onTaskDone: (k) => {
        done += some[k].count;
        onProgress(done);
      },
    });
    results.forEach((result, k) => {
      addTile(pixels, image, result.sums, some[k]);
      addTile(counts, image, result.counts, some[k]);
    });
  }
  for (let k = 0; k < pixels.length; k++) pixels[k] /= counts[k];
  return { width, height, pixels };
}

/** Returns the sums of a tile as the output of a job. */
export function tileSums(
  sums: FloatArray,
  { corners, ...tile }: ImageSize & { readonly corners: Int32Array },
  size: number,
): JobOutput<TileSums> {
  const marks = new Float32Array(tile.width * tile.height);
  for (const corner of corners) marks[corner]++;
  const counts = coveringSums(marks, tile, size);
  const transfer = [sums, counts].map(({ buffer }) => buffer as ArrayBuffer);
  return { result: { sums, counts }, transfer };
}

/** Returns a task with arrays that are transferred to the worker. */
export function transferred<Task extends object>(task: Task): JobInput<Task> {
  const arrays = Object.values(task).filter((value) => ArrayBuffer.isView(value));
  return { task, transfer: arrays.map(({ buffer }) => buffer as ArrayBuffer) };
}
