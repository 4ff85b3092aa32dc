/** Data of `gaussianize verify`: patches, whole images, or samples of the model itself. */
import type { Density } from "../../src/density/density.js";
import { piecesOf } from "../../src/density/model-files/model-reading.js";
import { cropToBlocks } from "../../src/evaluation/evaluate-whole-images.js";
import type { GreyPixels } from "../../src/images/grey-image.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import type { ImageReading } from "../../src/patches/image-reading.js";
import type { ImageSet } from "../../src/patches/image-set.js";
import { type PatchLayout, patchesToSamples } from "../../src/patches/patch-layout.js";
import { randomPatches } from "../../src/patches/image-patches.js";
import { createRandom } from "../../src/random/random-stream.js";
import { openImageSet } from "../../node/image-set.js";
import type { Effects } from "../effects.js";
import { requireCount, requirePatches } from "../model-files.js";
import { imagesAt } from "../skipped-files.js";
import { Progress } from "../progress.js";

export interface VerifyOptions {
  readonly samples: number;
  readonly seed: number;
  readonly workers?: number;
  readonly json?: true;
}

/** Largest number of values, which fits into memory several times. */
const mostValues = 2 ** 26;

interface Item {
  readonly source: string;
  readonly size?: string;
  readonly x: FloatArray | GreyPixels;
  /** Samples or whole images in total. */
  readonly total: number;
}

/** Blocks along each side of a sampled image. */
const blocksOfSample = 16;

export class VerificationData {
  private readonly reading: ImageReading | undefined;

  constructor(
    private readonly density: Density,
    path: string,
    private readonly images: readonly string[],
    private readonly options: VerifyOptions,
    private readonly effects: Effects,
  ) {
    if (density.kind === "patches") {
      requireCount("--samples", options.samples, density.dimension, mostValues);
    }
    const hasImages = images.length > 0;
    this.reading = hasImages
      ? requirePatches(density, path, "verify it without images")
      : undefined;
  }

  async *items(hasSamples: boolean): AsyncGenerator<Item, void> {
    const isOfPatches = this.density.kind === "patches";
    if (this.reading) {
      const set = await this.open(this.reading);
      if (isOfPatches) yield this.patchesOf(set, this.reading.layout);
      else yield* this.middlesOf(set, this.reading.layout);
    } else if (hasSamples) {
      yield isOfPatches ? this.ownSamples() : this.ownImage();
    }
  }

  /** Reads images as in the fit of the model. */
  private async open(reading: ImageReading): Promise<ImageSet> {
    const paths = await imagesAt(this.images, this.effects);
    const { seed } = this.options;
    const pieces = piecesOf(this.density.model);
    return openImageSet(paths, reading, { strict: true, seed, pieces });
  }

  /** Takes equally many patches of each image, with one image in memory at a time. */
  private async patchesOf(set: ImageSet, layout: PatchLayout): Promise<Item> {
    const { samples, seed } = this.options;
    const { length } = set.images;
    const order = createRandom(seed, "verify").permutation(length);
    const patches = new Float32Array(samples * (layout.size * layout.size));
    let filled = 0;
    for (let k = 0; k < Math.min(length, samples); k++) {
      const image = await set.load(order[k], 0);
      if (!image) continue;
      const count = Math.ceil((samples - k) / length);
      const random = createRandom(seed, "verify", order[k]);
      const part = randomPatches(random, [image], layout.size, count);
      patches.set(part, filled);
      filled += part.length;
    }
    const x = patchesToSamples(patches.subarray(0, filled), layout);
    const files = length === 1 ? set.images[0].path : `${length} images`;
    return { x, source: `patches of ${files}`, total: samples };
  }

  private async *middlesOf(set: ImageSet, { size }: PatchLayout): AsyncGenerator<Item, void> {
    for (const [index, { path: source }] of set.images.entries()) {
      const image = await set.load(index, 0);
      if (image) yield wholeImage(cropToBlocks(image, size), source, set.images.length);
    }
  }

  private async ownSamples(): Promise<Item> {
    const { samples, seed } = this.options;
    const progress = new Progress(this.effects, "sample", samples);
    const onProgress = (done: number): void => {
      progress.report(done);
    };
    const drawn = this.density.sample(samples, { seed, onProgress });
    const x = await drawn.finally(() => progress.finish());
    return { x, source: "samples of the model itself", total: samples };
  }

  private async ownImage(): Promise<Item> {
    const side = blocksOfSample * Math.sqrt(this.density.dimension);
    const size = { width: side, height: side };
    const [image] = await this.density.sample(1, { seed: this.options.seed, size });
    return wholeImage(image, "a sample of the model itself", 1);
  }
}

function wholeImage(x: GreyPixels, source: string, total: number): Item {
  return { x, source, size: `${x.width}×${x.height}`, total };
}
