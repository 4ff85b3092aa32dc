/**
 * Random patches of more images than fit into memory. A window of images slides over an endless shuffled sequence of all of
 * them; the patches of a step come from all images in its window. Window and patches depend on the seed and the number of the
 * step only, so that a fit can be resumed anywhere, and the next image is loaded while patches are drawn from the others.
 */
import { expected } from "../errors.js";
import type { GreyImage } from "../images/grey-image.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import { type PatchLayout, patchDimension, patchesToSamples } from "./patch-layout.js";
import { randomPatches } from "./random-patches.js";

export interface PatchSupplyOptions {
  /** Number of images, and how to get one: decoded, preprocessed, at least as large as a patch. */
  readonly images: number;
  readonly load: (index: number) => Promise<GreyImage>;
  readonly layout: PatchLayout;
  /** Patches of a step. */
  readonly batch: number;
  readonly seed: Seed;
  /** Images in memory at once; default all. */
  readonly window?: number;
  /** Steps after which the oldest image of the window makes room for a new one; default 10. */
  readonly stepsPerImage?: number;
}

export class PatchSupply {
  private readonly window: number;
  private readonly stepsPerImage: number;
  /** By place in the endless sequence. */
  private readonly loaded = new Map<number, Promise<GreyImage>>();
  private readonly orders = new Map<number, Uint32Array>();

  constructor(private readonly options: PatchSupplyOptions) {
    const { images, batch, layout, stepsPerImage = 10 } = options;
    const { window = images } = options;
    for (const [name, value] of Object.entries({ images, batch, window, stepsPerImage })) {
      if (!Number.isInteger(value) || value < 1) {
        throw expected(name, "be a positive integer", value);
      }
    }
    patchDimension(layout);
    this.window = Math.min(window, images);
    this.stepsPerImage = stepsPerImage;
  }

  /** The samples of a step, batch×N. */
  async batchAt(step: number): Promise<Float32Array> {
    const { layout, batch, seed } = this.options;
    const first = this.firstPlace(step);
    const places = Array.from({ length: this.window }, (_, k) => first + k);
    const images = await Promise.all(places.map((place) => this.imageAt(place)));
    this.forgetBefore(first);
    if (this.window < this.options.images) this.prepare(first + this.window);
    const random = createRandom(seed, "patches", step);
    return patchesToSamples(randomPatches(random, images, layout.size, batch), layout);
  }

  /** Where the window of a step begins: always at 0 where all images fit in. */
  private firstPlace(step: number): number {
    return this.window === this.options.images ? 0 : Math.floor(step / this.stepsPerImage);
  }

  private imageAt(place: number): Promise<GreyImage> {
    const present = this.loaded.get(place);
    if (present) return present;
    const loading = this.options.load(this.indexAt(place));
    this.loaded.set(place, loading);
    return loading;
  }

  /** Ahead of time; should it fail, the step that needs it will say so. */
  private prepare(place: number): void {
    this.imageAt(place).catch(() => this.loaded.delete(place));
  }

  private forgetBefore(first: number): void {
    for (const place of this.loaded.keys()) if (place < first) this.loaded.delete(place);
  }

  /** Every image once in each round, in an order of its own. */
  private indexAt(place: number): number {
    const { images, seed } = this.options;
    const round = Math.floor(place / images);
    let order = this.orders.get(round);
    if (!order) {
      order = createRandom(seed, "order", round).permutation(images);
      this.orders.set(round, order);
      // A window spans two rounds at most.
      this.orders.delete(round - 2);
    }
    return order[place % images];
  }
}
