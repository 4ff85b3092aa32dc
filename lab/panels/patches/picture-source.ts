/** The picture of the panel as a model reads it; the last ones are kept. */
import { type GreyImage, centralCrop } from "../../../src/images/grey-image.js";
import {
  type ImageReading,
  type LoadedImage,
  imageAsRead,
} from "../../../src/patches/image-reading.js";
import { patchesToSamples } from "../../../src/patches/patch-layout.js";
import { randomPatches } from "../../../src/patches/image-patches.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { decodeInRange } from "../../compute/decode-picture.js";
import { LastOnes } from "../../compute/last-ones.js";
import type { NamedFile } from "../../named-file.js";

/** Largest side: of larger pictures the middle is taken. */
const mostSide = 2048;

const opened = new LastOnes<LoadedImage>(2);

export function openPicture(picture: NamedFile, reading: ImageReading): Promise<LoadedImage> {
  const { luminance, dequantize, noiseLevel = 0 } = reading;
  return opened.get(JSON.stringify([picture.key, luminance, dequantize, noiseLevel]), async () => {
    return imageAsRead(await decodeInRange(picture, luminance), reading);
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
