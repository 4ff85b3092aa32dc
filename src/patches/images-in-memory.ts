import type { DecodedImage, Quantization } from "../images/decoded-image.js";
import { type GreyImage, requirePixels } from "../images/grey-image.js";
import type { ImageReading } from "./image-reading.js";
import { type ImageHeader, ImageSet, type ImageSetOptions, requireImages } from "./image-set.js";

/** Pixels from 0 to 1, and what their codes were where they had any. */
export type ImageInMemory = GreyImage & Partial<Quantization>;

interface HeaderInMemory extends ImageHeader {
  readonly image: ImageInMemory;
}

/** A set of images that are decoded already, as those of files. */
export function imagesInMemory(
  images: readonly ImageInMemory[],
  reading: ImageReading,
  options: ImageSetOptions = {},
): ImageSet<HeaderInMemory> {
  requireImages(images, reading);
  const found = images.map((image, k): HeaderInMemory => {
    const path = `image ${k}`;
    requirePixels(image, path);
    return { path, width: image.width, height: image.height, image };
  });
  const decode = ({ path, image }: HeaderInMemory): Promise<DecodedImage> => {
    const { width, height, pixels, levels = Infinity, spacing = "none" } = image;
    const codes = { depth: 32, channels: 1, levels, spacing, source: path } as const;
    return Promise.resolve({ width, height, pixels, ...codes });
  };
  const nameOf = ({ path }: HeaderInMemory): string => path;
  return new ImageSet({ found, fingerprint: "", decode, nameOf }, reading, options);
}
