/** Noise that is not white, for tests of real-noise/. */
import type { GreyImage } from "../../src/images/grey-image.js";
import { createRandom, type RandomStream } from "../../src/random/random-stream.js";
import { seed } from "./seed.js";

/** Draws from a Poisson distribution: a sum of draws with means of at most 20 (Knuth's method). */
export function poisson(random: RandomStream, mean: number): number {
  let [count, left] = [0, mean];
  while (left > 0) {
    const part = Math.min(left, 20);
    const limit = Math.exp(-part);
    for (let product = random.uniform(); product > limit; product *= random.uniform()) count++;
    left -= part;
  }
  return count;
}

/** Adds photon noise and normal noise: the variance at x is gain·x + own. */
export function withPhotonNoise(
  image: GreyImage,
  gain: number,
  own: number,
  stream: number | string = 0,
): GreyImage {
  const random = createRandom(seed, "photon noise", stream);
  const normal = random.normalFill(new Float32Array(image.pixels.length));
  const pixels = image.pixels.map(
    (x, k) => gain * poisson(random, x / gain) + Math.sqrt(own) * normal[k],
  );
  return { ...image, pixels };
}

/** A 3×3 binomial kernel; its noise has a correlation of 2/3 between neighbours. */
export const binomial = [1, 2, 1, 2, 4, 2, 1, 2, 1];

/** Adds white noise filtered by a 3×3 kernel, with standard deviation `sigma`. */
export function withColouredNoise(
  image: GreyImage,
  sigma: number,
  kernel: readonly number[],
  stream: number | string = 0,
): GreyImage {
  const { width, height, pixels } = image;
  const wide = width + 2;
  const random = createRandom(seed, "coloured noise", stream);
  const white = random.normalFill(new Float32Array(wide * (height + 2)));
  const norm = Math.sqrt(kernel.reduce((sum, value) => sum + value * value, 0));
  return {
    ...image,
    pixels: pixels.map((value, k) => {
      const corner = Math.floor(k / width) * wide + (k % width);
      const noise = kernel.reduce(
        (sum, weight, i) => sum + weight * white[corner + Math.floor(i / 3) * wide + (i % 3)],
        0,
      );
      return value + (sigma * noise) / norm;
    }),
  };
}
