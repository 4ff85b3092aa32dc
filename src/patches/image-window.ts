/** The images of a lane in memory: a window onto their endless sequence (image-sequence.ts). */
import { GaussianizeError } from "../errors.js";
import type { GreyImage } from "../images/grey-image.js";
import type { Gate } from "../parallel/at-most.js";
import { requireRoom } from "./image-patches.js";
import type { LaneSequence, Occurrence } from "./image-sequence.js";

/**
 * Loads an image, decoded and preprocessed; undefined if it cannot be used. `round` counts complete
 * rounds through all images, for noise that differs each time. The images from `index` up to
 * `until` will be asked for next and may be read together.
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
  /** Side of the patches; each image must have room for one. */
  readonly size: number;
  /** Images known to be unusable, which are not tried again. Windows may share this set. */
  readonly unusable: Set<number>;
}

export class ImageWindow {
  /** Loads by {@link keyOf}: an image that also replaces an unusable one is loaded once. */
  private readonly loads = new Map<number, Promise<GreyImage | undefined>>();

  constructor(
    private readonly sequence: LaneSequence,
    private readonly options: ImageWindowOptions,
  ) {}

  /** Returns the images at `count` places of the sequence, and first drops all others. */
  async imagesAt(first: number, count: number): Promise<GreyImage[]> {
    const places = Array.from({ length: count }, (_, k) => first + k);
    const kept = new Set(places.map((place) => this.keyOf(this.occurrenceAt(place))));
    for (const key of this.loads.keys()) if (!kept.has(key)) this.loads.delete(key);
    return Promise.all(places.map((place) => this.imageAt(place)));
  }

  /** Loads images ahead of time. A failure is ignored here; the load is repeated when needed. */
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
    // A failure is not cached: the file may be there next time.
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
   * Returns the occurrence at the first place, from `place` on, whose image is not known to be
   * unusable. So a place always gets the next usable image, whatever was loaded before.
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
