/** The picture of the panel as a model reads it; the last ones are kept. */
import {
  GaussianizeError,
  type GreyImage,
  type ImageReading,
  type LoadedImage,
  centralCrop,
  createRandom,
  imageAsRead,
  patchesToSamples,
  randomPatches,
} from "../../../src/index.js";
import { decodePicture } from "../../compute/decode-picture.js";
import { LastOnes } from "../../compute/last-ones.js";
import type { NamedFile } from "../../named-file.js";

/** Of larger pictures the middle is taken. */
const mostSide = 2048;

const opened = new LastOnes<LoadedImage>(2);

export function openPicture({ key, file }: NamedFile, reading: ImageReading): Promise<LoadedImage> {
  const { luminance, dequantize, noiseLevel = 0 } = reading;
  return opened.get(JSON.stringify([key, luminance, dequantize, noiseLevel]), async () => {
    const decoded = await decodePicture(file, luminance);
    if (decoded.pixels.some((value) => !(value >= 0 && value <= 1))) {
      throw new GaussianizeError(`${file.name} has values beyond black and white.`);
    }
    return imageAsRead(decoded, reading);
  });
}

/** A square from its middle; the whole of it where it has not as many pixels. */
export function middleOf(image: GreyImage, side = mostSide): GreyImage {
  return centralCrop(image, {
    width: Math.min(side, image.width),
    height: Math.min(side, image.height),
  });
}

/** Samples at random places, the same for the same seed. */
export function randomSamples(
  image: GreyImage,
  { layout }: ImageReading,
  count: number,
  seed: number,
): Float32Array {
  const random = createRandom(seed, "lab patches");
  return patchesToSamples(randomPatches(random, [image], layout.size, count), layout);
}
