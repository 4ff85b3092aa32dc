/**
 * Images for a fit or an evaluation: looked at when the set is opened, decoded when they are
 * needed. Platforms say how.
 */
import { GaussianizeError, expected } from "../errors.js";
import type { DecodedImage } from "../images/decoded-image.js";
import { requireLuminance } from "../images/luminance.js";
import { isSaturated } from "../preprocessing/saturation.js";
import type { Seed } from "../random/random-stream.js";
import { type ImageReading, type LoadedImage, imageAsRead } from "./image-reading.js";
import { patchDimension } from "./patch-layout.js";
import { type ImagePlace, type ReadingPlan, runsOf } from "./reading-plan.js";

/** What can be known of an image file without its pixels. */
export interface ImageHeader extends ImagePlace {
  /** What sentences call it. */
  readonly path: string;
  /** As decoded: set upright, without the border of `.iml`. */
  readonly width: number;
  readonly height: number;
}

export interface SkippedImage {
  readonly path: string;
  /** One sentence, with the path. */
  readonly reason: string;
}

export type { LoadedImage };

export interface ImageSetOptions {
  /** Of the noise that spreads the codes of the pixels, default 1. */
  readonly seed?: Seed;
  /**
   * Leaves saturated pictures out (paper §6.3): wanted, and so no error where `strict` is asked
   * for.
   */
  readonly removeSaturated?: boolean;
  /** The first image that cannot be used is an error; otherwise it is left out and listed. */
  readonly strict?: boolean;
  /** Called once for every image that is left out. */
  readonly onSkipped?: (skipped: SkippedImage) => void;
}

/** What a platform knows of the files. */
export interface ImageFiles<H extends ImageHeader> {
  readonly found: readonly (H | SkippedImage)[];
  /**
   * Tells whether a later set has the same images: "sha256:" of the names, sizes and first bytes of
   * those that were found.
   */
  readonly fingerprint: string;
  /** Images from `index` up to `until` will be asked for next. */
  readonly decode: (image: H, index: number, until: number) => Promise<DecodedImage>;
  /** Without its folder, so that the noise is the same wherever the images lie. */
  readonly nameOf: (image: H) => string;
}

/**
 * Of a file, for its fingerprint: enough to tell one picture from another of the same size,
 * compressed pixels begin before.
 */
export const headerBytes = 4096;

/** What the memory holds beside everything else. */
const defaultWindowBytes = 192 * 2 ** 20;

/** Before files are looked at. */
export function requireImages(files: readonly unknown[], reading: ImageReading): void {
  if (files.length === 0) throw expected("paths", "name at least one image", files);
  requireLuminance(reading.luminance);
  patchDimension(reading.layout);
}

/** Why an image has no room for patches; undefined where it has. */
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
  /** How many were given, those included that cannot be used. */
  readonly given: number;
  /**
   * Tells whether a later run has the same images: "sha256:" of the names, sizes and first bytes of
   * those that it opened with.
   */
  readonly fingerprint: string;
  private readonly leftOut: SkippedImage[] = [];
  /** Indices of images that turned out to be unusable when they were loaded. */
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

  /** What was left out so far, and why; grows when a file turns out to be corrupt. */
  get skipped(): readonly SkippedImage[] {
    return this.leftOut;
  }

  /**
   * Decodes an image and spreads its codes, where the reading wants that, with the noise of its
   * name, the seed and the `round`. Undefined where it cannot be used after all. Those up to
   * `until` are read along with it, where they are in one archive. Needs no `this`: it is made to
   * be handed on.
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

  /** Without its folder or archive: what its noise depends on. */
  readonly nameOf = (index: number): string => this.files.nameOf(this.images[index]);

  /**
   * How many of the images may be in memory at once, whichever they are, so that their pixels take
   * at most so many bytes; 1 at least.
   */
  windowFor(bytes = defaultWindowBytes): number {
    if (!(bytes > 0)) throw expected("bytes", "be positive", bytes);
    const sizes = Float64Array.from(this.images, ({ width, height }) => 4 * width * height);
    sizes.sort().reverse();
    let total = 0;
    const first = sizes.findIndex((size) => (total += size) > bytes);
    return Math.max(1, first === -1 ? sizes.length : first);
  }

  /** How a fit should read them; the same whoever asks, given the window. */
  readingPlan(window = this.windowFor()): ReadingPlan {
    const runs = runsOf(this.images, window);
    return runs ? { window, runs } : { window };
  }

  /** The image, or the sentence why it cannot be used. */
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
      if (image.spacing === "none" && !isWithin(image.pixels)) {
        return `${path} has values beyond 0 (black) and 1 (white), which no density of pictures expects.`;
      }
      // Judged before any noise, which would spread the highest code.
      if (!this.options.removeSaturated || !isSaturated(image.pixels)) return image;
      return `${path} is saturated: more than 0.1 % of its pixels are in the highest bin.`;
    } catch (error) {
      if (this.options.strict || isOfSystem(error) || !(error instanceof GaussianizeError))
        throw error;
      return error.message;
    }
  }

  private drop(index: number, reason: string): void {
    // Calls overlap: another may have found it meanwhile.
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

function isWithin(pixels: Float32Array): boolean {
  return pixels.every((value) => value >= 0 && value <= 1);
}

/** A disk that fails is no picture that is damaged: it may work again when the fit is resumed. */
export function isOfSystem(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof Error && "errno" in error.cause;
}
