import { deadLeaves } from "../../src/images/dead-leaves.js";
import type { GreyImage } from "../../src/images/grey-image.js";
import { createRandom } from "../../src/random/random-stream.js";
import { seed } from "./seed.js";

export interface NoisyScene {
  readonly clean: GreyImage;
  readonly noisy: GreyImage;
}

/** A scene of dead leaves, and the same with white noise of the standard deviation sigma. */
export function noisyScene(width: number, height: number, sigma: number): NoisyScene {
  const random = createRandom(seed, "noisy scene", width, height);
  // Leaves of a few pixels would be finer than what these methods can tell from noise.
  const smallestRadius = 4;
  const largestRadius = 40;
  const clean = deadLeaves(random.stream("scene"), {
    width,
    height,
    smallestRadius,
    largestRadius,
  });
  const noise = random.stream("noise").normalFill(new Float32Array(clean.pixels.length));
  const pixels = clean.pixels.map((value, k) => value + sigma * noise[k]);
  return { clean, noisy: { ...clean, pixels } };
}
