import type { RandomStream } from "../random/random-stream.js";

/**
 * Pixels with independent normal noise of standard deviation σ added, neither clipped nor rounded.
 */
export function withWhiteNoise(
  pixels: Float32Array,
  sigma: number,
  random: RandomStream,
): Float32Array {
  const noise = random.normalFill(new Float32Array(pixels.length));
  return pixels.map((value, k) => value + sigma * noise[k]);
}
