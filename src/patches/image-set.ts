/**
 * Images for a fit or an evaluation. Headers are read when the set is opened, pixels are decoded
 * when they are needed; each platform has its own decoders.
 */
import { GaussianizeError, expected } from "../errors.js";
import type { DecodedImage, Quantization } from "../images/decoded-image.js";
import { type GreyImage, type ImageSize, requirePixels } from "../images/grey-image.js";
import { requireLuminance } from "../images/luminance.js";
import { isSaturated } from "../preprocessing/saturation.js";
import type { Seed } from "../random/random-stream.js";
import { type ImageReading, type LoadedImage, imageAsRead } from "./image-reading.js";
import { patchDimension } from "./patch-layout.js";
import { type ImagePlace, type ReadingPlan, runsOf } from "./reading-plan.js";

/** Description of an image file without its pixels. The size is that of the decoded image. */
export interface ImageHeader extends ImagePlace, ImageSize {
  /** Name in messages. */
  readonly path: string;
}

export interface SkippedImage {
  readonly path: string;
  /** One sentence, with the path. */
  readonly reason: string;
}

export type { LoadedImage };

export interface ImageSetOptions {
  /** Seed of the noise that spreads the codes of the pixels, default 1. */
  readonly seed?: Seed;
  /** Skips saturated pictures (paper §6.3), even if `strict`. */
  readonly removeSaturated?: boolean;
  /** Throws for the first image that cannot be used, instead of skipping it. */
  readonly strict?: boolean;
  /** Called once for every skipped image. */
  readonly onSkipped?: (skipped: SkippedImage) => void;
}

/** The files of a platform. */
export interface ImageFiles<H extends ImageHeader> {
  readonly found: readonly (H | SkippedImage)[];
  /** Identifies the images: "sha256:" of the names, sizes and first bytes of those found. */
  readonly fingerprint: string;
  /** Decodes an image; those from `index` up to `until` will be asked for next. */
  readonly decode: (image: H, index: number, until: number) => Promise<DecodedImage>;
  /** Returns the name without its folder, so the noise is the same in any folder. */
  readonly nameOf: (image: H) => string;
}

/** Bytes of a file for its fingerprint; they include compressed pixels, which differ. */
export const headerBytes = 4096;

const defaultWindowBytes = 192 * 2 ** 20;

/** Checks the arguments of a set before files are read. */
export function requireImages(files: readonly unknown[], reading: ImageReading): void {
  if (files.length === 0) throw expected("paths", "name at least one image", files);
  requireLuminance(reading.luminance);
  patchDimension(reading.layout);
}

/** Returns the reason why an image has no room for patches, undefined if it has. */
export function tooSmall(
  { path, width, height }: ImageHeader,
  side: number,
  pieces = "patches",
): SkippedImage | undefined {
  if (Math.min(width, height) >= side) return undefined;
  const size = `${width}×${height} pixels, smaller than the ${side}×${side} ${pieces}`;
  return { path, reason: `${path} is ${size}.` };
}

export class ImageSet<H extends ImageHeader = ImageHeader> {
  readonly images: readonly H[];
  /** Number of given images, usable or not. */
  readonly given: number;
  /** Identifies the images, to compare them with those of a later run. */
  readonly fingerprint: string;
  private readonly leftOut: SkippedImage[] = [];
  /** Indices of images that could not be loaded. */
  private readonly unusable = new Set<number>();

  /** @internal Use `openImageSet` of the platform. */
  constructor(
    private readonly files: ImageFiles<H>,
    private readonly reading: ImageReading,
    private readonly options: ImageSetOptions,
  ) {
    const images: H[] = [];
    for (const entry of files.found) {
      if ("reason" in entry) this.skip(entry);
      else images.push(entry);
    }
    this.images = images;
    this.given = files.found.length;
    this.fingerprint = files.fingerprint;
    this.requireSome();
  }

  /** Images skipped so far; grows when a file turns out to be corrupt. */
  get skipped(): readonly SkippedImage[] {
    return this.leftOut;
  }

  /**
   * Decodes an image as the reading asks, with noise that depends on its name, the seed and the
   * `round`. Returns undefined if it cannot be used. Images up to `until` are read along with it if
   * they are in one archive. Needs no `this`.
   */
  readonly load = async (
    index: number,
    round: number,
    until = index + 1,
  ): Promise<LoadedImage | undefined> => {
    if (!(index in this.images)) {
      const rule = `be an integer from 0 to ${this.images.length - 1}`;
      throw expected("the index of an image", rule, index);
    }
    this.requireSome();
    if (this.unusable.has(index)) return undefined;
    const image = await this.decode(index, until);
    if (typeof image === "string") {
      this.drop(index, image);
      return undefined;
    }
    const named = { ...image, source: this.nameOf(index) };
    return imageAsRead(named, this.reading, { seed: this.options.seed ?? 1, round });
  };

  /** Name without folder and archive, which determines the noise. */
  readonly nameOf = (index: number): string => this.files.nameOf(this.images[index]);

  /** Returns the number of images, at least 1, of which any fit into this many bytes. */
  windowFor(bytes = defaultWindowBytes): number {
    if (!(bytes > 0)) throw expected("bytes", "be positive", bytes);
    const sizes = Float64Array.from(this.images, ({ width, height }) => 4 * width * height);
    sizes.sort().reverse();
    let total = 0;
    const first = sizes.findIndex((size) => (total += size) > bytes);
    return Math.max(1, first === -1 ? sizes.length : first);
  }

  /** Returns the plan for a fit; it depends only on the images and the window. */
  readingPlan(window = this.windowFor()): ReadingPlan {
    const runs = runsOf(this.images, window);
    return runs ? { window, runs } : { window };
  }

  /** Returns the image, or the reason why it cannot be used. */
  private async decode(index: number, until: number): Promise<DecodedImage | string> {
    const { path, width, height } = this.images[index];
    try {
      const image = await this.files.decode(this.images[index], index, until);
      if (image.width !== width || image.height !== height) {
        const sizes = `${width}×${height} pixels before, ${image.width}×${image.height} now`;
        throw new GaussianizeError(
          "mismatch",
          `${path} was changed while it was in use: ${sizes}.`,
        );
      }
      if (image.spacing === "none" && !image.pixels.every((value) => value >= 0 && value <= 1)) {
        return `${path} has values beyond 0 (black) and 1 (white).`;
      }
      // Before any noise, which would spread the highest code.
      if (!this.options.removeSaturated || !isSaturated(image.pixels)) return image;
      return `${path} is saturated: more than 0.1 % of its pixels are in the highest bin.`;
    } catch (error) {
      if (this.options.strict || isOfSystem(error) || !(error instanceof GaussianizeError))
        throw error;
      return error.message;
    }
  }

  private drop(index: number, reason: string): void {
    // Calls overlap: another call may have dropped it already.
    if (this.unusable.has(index)) return;
    this.unusable.add(index);
    this.skip({ path: this.images[index].path, reason });
    this.requireSome();
  }

  private skip(skipped: SkippedImage): void {
    this.leftOut.push(skipped);
    this.options.onSkipped?.(skipped);
  }

  private requireSome(): void {
    if (this.unusable.size < this.images.length) return;
    const [{ reason }, ...others] = this.leftOut;
    if (others.length === 0) throw new GaussianizeError("unusable-images", reason);
    const why = reason.replace(/^Cannot/, "cannot").replace(/^Expected/, "expected");
    throw new GaussianizeError(
      "unusable-images",
      `None of the ${this.leftOut.length} images can be used: ${why.replace(/\.$/, "")}, and ${others.length} more.`,
    );
  }
}

/** Pixels from 0 to 1, and the codes that they had, if any. */
export type ImageInMemory = GreyImage & Partial<Quantization>;

/** Makes a set of images that are already decoded. */
export function imagesInMemory(
  images: readonly ImageInMemory[],
  reading: ImageReading,
  options: ImageSetOptions = {},
): ImageSet<ImageHeader & { readonly image: ImageInMemory }> {
  requireImages(images, reading);
  const found = images.map((image, k) => {
    const path = `image ${k}`;
    requirePixels(image, path);
    return { path, width: image.width, height: image.height, image };
  });
  const files: ImageFiles<(typeof found)[number]> = {
    found,
    fingerprint: "",
    decode: ({ path, image }) => {
      const { width, height, pixels, levels = Infinity, spacing = "none" } = image;
      const codes = { depth: 32, channels: 1, levels, spacing, source: path } as const;
      return Promise.resolve({ width, height, pixels, ...codes });
    },
    nameOf: ({ path }) => path,
  };
  return new ImageSet(files, reading, options);
}

/** Tells whether the system failed rather than the picture: a disk may work again later. */
export function isOfSystem(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof Error && "errno" in error.cause;
}
