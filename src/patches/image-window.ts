/**
 * The images that are in memory: a window onto an endless sequence in which every image occurs once in each round, in an order
 * of its own.
 */
import { GaussianizeError } from "../errors.js";
import type { GreyImage } from "../images/grey-image.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import { requireRoom } from "./random-patches.js";

/**
 * An image, decoded and preprocessed; undefined if it cannot be used. `round` counts how often all images had their turn before,
 * for noise that is to be different each time.
 */
export type LoadImage = (index: number, round: number) => Promise<GreyImage | undefined>;

export interface ImageWindowOptions {
  /** Number of images. */
  readonly images: number;
  readonly load: LoadImage;
  readonly seed: Seed;
  /** Side of the patches that each image must have room for. */
  readonly size: number;
}

interface Occurrence {
  readonly index: number;
  readonly round: number;
}

/** A window that moves by no more than its length, and what lies ahead of it, touch three rounds at most. */
const roundsKept = 3;

export class ImageWindow {
  /** By {@link keyOf}: an image that also stands in for an unusable one is loaded once. */
  private readonly loads = new Map<number, Promise<GreyImage | undefined>>();
  private readonly unusable = new Set<number>();
  private readonly orders = new Map<number, Uint32Array>();

  constructor(private readonly options: ImageWindowOptions) {}

  /** The images at `count` places of the sequence; all others are forgotten, and before that, so that there is room. */
  async imagesAt(first: number, count: number): Promise<GreyImage[]> {
    const places = Array.from({ length: count }, (_, k) => first + k);
    const kept = new Set(places.map((place) => this.keyOf(this.occurrenceAt(place))));
    for (const key of this.loads.keys()) if (!kept.has(key)) this.loads.delete(key);
    return Promise.all(places.map((place) => this.imageAt(place)));
  }

  /** Ahead of time; should it fail, it is tried again when it is needed, and whoever needs it will hear of it. */
  prepare(first: number, count: number): void {
    for (let k = 0; k < count; k++) this.imageAt(first + k).catch(() => undefined);
  }

  private async imageAt(place: number): Promise<GreyImage> {
    for (;;) {
      const image = await this.loadOnce(this.occurrenceAt(place));
      if (image) return image;
    }
  }

  private loadOnce(occurrence: Occurrence): Promise<GreyImage | undefined> {
    const key = this.keyOf(occurrence);
    const present = this.loads.get(key);
    if (present) return present;
    const loading = this.load(occurrence);
    this.loads.set(key, loading);
    // A failure is not kept: a file may be there when it is asked for again.
    loading.catch(() => {
      if (this.loads.get(key) === loading) this.loads.delete(key);
    });
    return loading;
  }

  private async load({ index, round }: Occurrence): Promise<GreyImage | undefined> {
    const image = await this.options.load(index, round);
    if (image) requireRoom(image, `image ${index}`, this.options.size);
    else this.unusable.add(index);
    return image;
  }

  private keyOf({ index, round }: Occurrence): number {
    return round * this.options.images + index;
  }

  /** What is at a place of the sequence, or instead of it the next one that is not known to be unusable. */
  private occurrenceAt(place: number): Occurrence {
    const { images } = this.options;
    if (this.unusable.size === images) {
      throw new GaussianizeError(`None of the ${images} images can be used.`);
    }
    const round = Math.floor(place / images);
    let index = this.orderOf(round)[place % images];
    while (this.unusable.has(index)) index = (index + 1) % images;
    return { index, round };
  }

  private orderOf(round: number): Uint32Array {
    const present = this.orders.get(round);
    if (present) return present;
    const order = createRandom(this.options.seed, "order", round).permutation(this.options.images);
    // Any of them can be made again.
    if (this.orders.size === roundsKept) this.orders.clear();
    this.orders.set(round, order);
    return order;
  }
}
