/**
 * The images of a lane that are in memory: a window onto their endless sequence
 * (image-sequence.ts).
 */
import { GaussianizeError } from "../errors.js";
import type { GreyImage } from "../images/grey-image.js";
import type { Gate } from "../parallel/at-most.js";
import { requireRoom } from "./image-patches.js";
import type { LaneSequence, Occurrence } from "./image-sequence.js";

/**
 * An image, decoded and preprocessed; undefined if it cannot be used. `round` counts how often all
 * images had their turn before, for noise that is to be different each time. Those from `index` up
 * to `until` will be asked for next: they may be read at once.
 */
export type LoadImage = (
  index: number,
  round: number,
  until?: number,
) => Promise<GreyImage | undefined>;

export interface ImageWindowOptions {
  /** Number of images. */
  readonly images: number;
  readonly load: LoadImage;
  readonly gate: Gate;
  /** Side of the patches that each image must have room for. */
  readonly size: number;
  /**
   * Images that turned out to be unusable, so that they are not tried again. Windows may share it:
   * what stands at a place does not depend on it.
   */
  readonly unusable: Set<number>;
}

export class ImageWindow {
  /** By {@link keyOf}: an image that also stands in for an unusable one is loaded once. */
  private readonly loads = new Map<number, Promise<GreyImage | undefined>>();

  constructor(
    private readonly sequence: LaneSequence,
    private readonly options: ImageWindowOptions,
  ) {}

  /**
   * The images at `count` places of the sequence; all others are forgotten, and before that, so
   * that there is room.
   */
  async imagesAt(first: number, count: number): Promise<GreyImage[]> {
    const places = Array.from({ length: count }, (_, k) => first + k);
    const kept = new Set(places.map((place) => this.keyOf(this.occurrenceAt(place))));
    for (const key of this.loads.keys()) if (!kept.has(key)) this.loads.delete(key);
    return Promise.all(places.map((place) => this.imageAt(place)));
  }

  /**
   * Ahead of time; should it fail, it is tried again when it is needed, and whoever needs it will
   * hear of it.
   */
  prepare(first: number, count: number): void {
    for (let k = 0; k < count; k++) this.imageAt(first + k).catch(() => undefined);
  }

  forget(): void {
    this.loads.clear();
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

  private async load({ index, round, until }: Occurrence): Promise<GreyImage | undefined> {
    const { gate, load, size, unusable } = this.options;
    const image = await gate(async () => load(index, round, until));
    if (image) requireRoom(image, `image ${index}`, size);
    else unusable.add(index);
    return image;
  }

  private keyOf({ index, round }: Occurrence): number {
    return round * this.options.images + index;
  }

  /**
   * What is at a place of the sequence, or instead of it what is at the next place whose image is
   * not known to be unusable. So what comes out in the end is the image at the first place from
   * there on that can be used, whatever else was loaded before.
   */
  private occurrenceAt(place: number): Occurrence {
    const { images, unusable } = this.options;
    if (unusable.size === images) {
      throw new GaussianizeError("unusable-images", `None of the ${images} images can be used.`);
    }
    for (let next = place; ; next++) {
      const occurrence = this.sequence.at(next);
      if (!unusable.has(occurrence.index)) return occurrence;
    }
  }
}
