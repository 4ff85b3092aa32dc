/** The patches of several consecutive steps, made together while each image is in the cache. */
import type { GreyImage } from "../images/grey-image.js";
import { type RandomStream, type Seed, createRandom } from "../random/random-stream.js";
import { randomCorner } from "./image-patches.js";
import type { ImageWindow } from "./image-window.js";
import { type PatchLayout, copyPatch, patchDimension } from "./patch-layout.js";
import type { LaneShape } from "./reading-plan.js";

export interface LaneOfBlock {
  /** Images in the order in which they give patches. */
  readonly images: readonly GreyImage[];
  /** Rows of each step that belong to the lane. */
  readonly firstRow: number;
  readonly rows: number;
  readonly layout: PatchLayout;
  readonly steps: number;
}

/** Rows of a lane, the same in each step, and their place in `samples`. */
export interface LeafOfBlock {
  /** Index among the rows of the lane. */
  readonly firstRow: number;
  readonly rows: number;
  /** steps×rowsOfStep×N values. */
  readonly samples: Float32Array;
  readonly rowsOfStep: number;
  readonly firstRowOfSamples: number;
}

const bytesOfBlock = 2 ** 23;
const mostSteps = 64;

/**
 * Returns the number of steps: many, to use an image while it is in the cache, in little memory.
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
 * a new one for each row. So every sample is uniform over images and places, as if drawn
 * independently. But all images have equal shares of the block, and nearly equal ones of each step,
 * so differences between images add less to the variance of a gradient. Each leaf has its own
 * random numbers and can be made without the others.
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

/** A share of the images: its rows of every batch are patches of the images in its window. */
export class Lane {
  constructor(
    private readonly images: ImageWindow,
    readonly shape: LaneShape & { readonly seed: Seed; readonly lane: number },
  ) {}

  /** Returns the images of a block in its random order, and starts loading those that follow. */
  async imagesAt(block: number): Promise<GreyImage[]> {
    const { window, stride, seed, lane } = this.shape;
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
