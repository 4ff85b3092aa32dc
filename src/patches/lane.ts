/** One of those that the images are dealt to: its rows of every batch are patches of the images in its window. */
import type { GreyImage } from "../images/grey-image.js";
import { type Seed, createRandom } from "../random/random-stream.js";
import type { ImageWindow } from "./image-window.js";
import type { LaneShape } from "./reading-plan.js";

export interface LaneOptions extends LaneShape {
  readonly seed: Seed;
  readonly lane: number;
  /** By how many images the window moves after a block, on average. */
  readonly stride: number;
}

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

  /** The images of a block, in a random order of that block; those that the next one adds are then loaded, too. */
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
