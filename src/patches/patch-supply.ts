/**
 * Random patches of more images than fit into memory. A window of images slides over an endless shuffled sequence of all of
 * them, and moves on after each block of steps; the patches of a block are made at once (patch-block.ts), from all images in its
 * window. All this depends on the seed and the number of the step only, so that a fit can be resumed anywhere, and the next
 * images are loaded while the block is used.
 */
import { expected } from "../errors.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import { ImageWindow, type LoadImage } from "./image-window.js";
import { patchBlock, stepsOfBlock } from "./patch-block.js";
import { type PatchLayout, patchDimension } from "./patch-layout.js";

export interface PatchSupplyOptions {
  /** Number of images, and how to get one, at least as large as a patch. In place of an unusable one comes the next that is usable. */
  readonly images: number;
  readonly load: LoadImage;
  readonly layout: PatchLayout;
  /** Patches of a step. */
  readonly batch: number;
  readonly seed: Seed;
  /** Images that patches are drawn from at a time; default all. In memory are these, and those of the next block that are new. */
  readonly window?: number;
  /** The oldest images of the window, so many, make room for new ones after each block; default a 16th of it. */
  readonly imagesPerBlock?: number;
}

interface Block {
  readonly number: number;
  readonly samples: Promise<Float32Array>;
}

export class PatchSupply {
  /** Steps whose patches are made at once. */
  readonly stepsPerBlock: number;
  private readonly window: number;
  /** How far the window moves from block to block: not at all where all images fit in. */
  private readonly stride: number;
  private readonly images: ImageWindow;
  private block: Block | undefined;

  constructor(private readonly options: PatchSupplyOptions) {
    const { images, load, layout, batch, seed } = options;
    const { window = images } = options;
    const { imagesPerBlock = Math.ceil(window / 16) } = options;
    for (const [name, value] of Object.entries({ images, batch, window, imagesPerBlock })) {
      if (!Number.isInteger(value) || value < 1) {
        throw expected(name, "be a positive integer", value);
      }
    }
    if (imagesPerBlock > window) {
      throw expected("imagesPerBlock", `be at most the window (${window})`, imagesPerBlock);
    }
    patchDimension(layout);
    this.stepsPerBlock = stepsOfBlock(layout, batch);
    this.window = Math.min(window, images);
    this.stride = window < images ? imagesPerBlock : 0;
    this.images = new ImageWindow({ images, load, seed, size: layout.size });
  }

  /** The samples of a step, batch×N: a view of those of its block, to be read only. */
  async batchAt(step: number): Promise<Float32Array> {
    if (!Number.isSafeInteger(step) || step < 0) {
      throw expected("step", "be an integer of at least 0", step);
    }
    const { stepsPerBlock } = this;
    const samples = await this.blockAt(Math.floor(step / stepsPerBlock));
    const length = samples.length / stepsPerBlock;
    const start = (step % stepsPerBlock) * length;
    return samples.subarray(start, start + length);
  }

  /** The last one is kept, the one before lives as long as somebody holds a batch of it: each is an array of its own. */
  private blockAt(number: number): Promise<Float32Array> {
    if (this.block?.number === number) return this.block.samples;
    const block = { number, samples: this.makeBlock(number) };
    this.block = block;
    // A failure is not kept: whoever asks again may have mended its cause.
    block.samples.catch(() => {
      if (this.block === block) this.block = undefined;
    });
    return block.samples;
  }

  private async makeBlock(number: number): Promise<Float32Array> {
    const { layout, batch, seed } = this.options;
    const first = number * this.stride;
    const images = await this.images.imagesAt(first, this.window);
    if (this.stride > 0) this.images.prepare(first + this.window, this.stride);
    const random = createRandom(seed, "patches", number);
    return patchBlock(random, images, { layout, batch, steps: this.stepsPerBlock });
  }
}
