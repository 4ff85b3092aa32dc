import type { GreyImage } from "../../../src/images/grey-image.js";
import { createRandom } from "../../../src/random/random-stream.js";

/** Returns a picture plus normal noise, or dequantisation noise if `sigma` is null. */
export function withNoise(image: GreyImage, sigma: number | null): GreyImage {
  const random = createRandom(1, "start page", "noise");
  const pixels = image.pixels.map((value) =>
    sigma === null ? value + random.uniform() / 256 : value + sigma * random.normal(),
  );
  return { ...image, pixels };
}
