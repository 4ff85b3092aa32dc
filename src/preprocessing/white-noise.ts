import type { RandomStream } from "../random/random-stream.js";

/** Returns the pixels plus independent normal noise of level σ, neither clipped nor rounded. */
export function withWhiteNoise(
  pixels: Float32Array,
  sigma: number,
  random: RandomStream,
): Float32Array {
  const noise = random.normalFill(new Float32Array(pixels.length));
  return pixels.map((value, k) => value + sigma * noise[k]);
}
