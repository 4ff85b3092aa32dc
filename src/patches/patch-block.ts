/**
 * The patches of several steps in a row, made at once because then each image is read while it is
 * in the cache.
 */
import type { GreyImage } from "../images/grey-image.js";
import { type RandomStream, type Seed, createRandom } from "../random/random-stream.js";
import { randomCorner } from "./image-patches.js";
import type { ImageWindow } from "./image-window.js";
import { type PatchLayout, copyPatch, patchDimension } from "./patch-layout.js";
import type { LaneShape } from "./reading-plan.js";

/**
 * The images of a lane in the order in which they give patches, and how many rows of each step are
 * theirs.
 */
export interface LaneOfBlock {
  readonly images: readonly GreyImage[];
  readonly firstRow: number;
  readonly rows: number;
  readonly layout: PatchLayout;
  readonly steps: number;
}

/** Rows of a lane, the same ones in each step, and where in `samples` they go. */
export interface LeafOfBlock {
  /** Among those of the lane. */
  readonly firstRow: number;
  readonly rows: number;
  /** steps×rowsOfStep×N. */
  readonly samples: Float32Array;
  readonly rowsOfStep: number;
  readonly firstRowOfSamples: number;
}

const bytesOfBlock = 2 ** 23;
const mostSteps = 64;

/**
 * Enough steps that an image gives many patches while it is in the cache; few enough that nobody
 * minds the memory.
 */
export function stepsOfBlock(layout: PatchLayout, batch: number): number {
  const bytesOfStep = batch * patchDimension(layout) * Float32Array.BYTES_PER_ELEMENT;
  return Math.max(1, Math.min(mostSteps, Math.floor(bytesOfBlock / bytesOfStep)));
}

/**
 * Writes the samples of a leaf. With the W images of its lane in a random order, and P = steps ·
 * rows patches of the lane, image k gives the patches
 *
 *   t = ⌈k P / W⌉ … ⌈(k + 1) P / W⌉ − 1,
 *   patch t is row ⌊t / steps⌋ of the step at place t mod steps of another random order,
 *
 * a new one for each row. So any given sample is from each image with the same probability, at each
 * of its places, as if drawn by itself. But all images have equal shares of the block, and nearly
 * equal ones of each step: what images differ in adds less to the variance of a gradient than if
 * they were drawn, too. The random numbers of a leaf are its own, so that it can be made without
 * others.
 */
export function fillLeaf(
  random: RandomStream,
  { images, rows: rowsOfLane, layout, steps }: LaneOfBlock,
  { firstRow, rows, samples, rowsOfStep, firstRowOfSamples }: LeafOfBlock,
): void {
  const n = patchDimension(layout);
  const patches = steps * rowsOfLane;
  const order = random.permutation(steps);
  let t = firstRow * steps;
  let k = Math.floor((t * images.length) / patches);
  let end = Math.ceil(((k + 1) * patches) / images.length);
  for (let row = 0; row < rows; row++) {
    random.shuffle(order);
    for (let place = 0; place < steps; place++, t++) {
      while (t >= end) end = Math.ceil(((++k + 1) * patches) / images.length);
      const image = images[k];
      const at = (order[place] * rowsOfStep + firstRowOfSamples + row) * n;
      const corner = randomCorner(random, image, layout.size);
      copyPatch(image.pixels, image.width, corner, layout, samples, at);
    }
  }
}

interface LaneOptions extends LaneShape {
  readonly seed: Seed;
  readonly lane: number;
  /** By how many images the window moves after a block, on average. */
  readonly stride: number;
}

/**
 * One of those that the images are dealt to: its rows of every batch are patches of the images in
 * its window.
 */
export class Lane {
  readonly firstRow: number;
  readonly rows: number;

  constructor(
    private readonly images: ImageWindow,
    private readonly options: LaneOptions,
  ) {
    this.firstRow = options.firstRow;
    this.rows = options.rows;
  }

  /**
   * The images of a block, in a random order of that block; those that the next one adds are then
   * loaded, too.
   */
  async imagesAt(block: number): Promise<GreyImage[]> {
    const { window, stride, seed, lane } = this.options;
    const first = Math.floor(block * stride);
    const images = await this.images.imagesAt(first, window);
    this.images.prepare(first + window, Math.floor((block + 1) * stride) - first);
    const order = createRandom(seed, "lane", block, lane).permutation(window);
    return Array.from(order, (place) => images[place]);
  }

  forget(): void {
    this.images.forget();
  }
}
