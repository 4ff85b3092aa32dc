import type { GreyImage } from "../images/grey-image.js";
import type { LoadImage } from "../patches/image-window.js";

/**
 * Keeps the images that are decoded before the first step, so that the fit need not decode them
 * again.
 */
export class FirstLoads {
  private readonly kept = new Map<number, Promise<GreyImage | undefined>>();
  unusable = 0;

  constructor(private readonly load: LoadImage) {}

  /** Adds an image of the first round that was decoded before. */
  add(index: number, image: GreyImage): void {
    this.kept.set(index, Promise.resolve(image));
  }

  readonly keep: LoadImage = (index, round, until) => {
    const present = round === 0 ? this.kept.get(index) : undefined;
    if (present) return present;
    const image = this.load(index, round, until).then((loaded) => {
      if (!loaded) this.unusable++;
      return loaded;
    });
    if (round === 0) this.kept.set(index, image);
    return image;
  };

  readonly take: LoadImage = (index, round, until) => {
    const image = round === 0 ? this.kept.get(index) : undefined;
    if (image) {
      this.kept.delete(index);
      return image;
    }
    // Others are asked for by now: whatever is left would stay for ever.
    this.kept.clear();
    return this.load(index, round, until);
  };
}
