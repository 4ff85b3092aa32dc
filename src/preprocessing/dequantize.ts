import { expected } from "../errors.js";
import type { RandomStream } from "../random/random-stream.js";

/**
 * Spreads quantized values evenly over their intervals: the code k = 0 … levels − 1 of a pixel value k/(levels − 1) becomes
 * (k + u)/levels with u uniform in [0, 1). Without it a density could put all its mass on the codes, and likelihoods
 * would mean nothing (Uria, Murray & Larochelle 2013). A new array.
 */
export function dequantize(
  pixels: Float32Array,
  levels: number,
  random: RandomStream,
): Float32Array {
  if (!Number.isInteger(levels) || levels < 2) {
    throw expected("levels", "be an integer of at least 2", levels);
  }
  const noise = random.uniformFill(new Float32Array(pixels.length));
  for (let k = 0; k < pixels.length; k++) {
    noise[k] = (pixels[k] * (levels - 1) + noise[k]) / levels;
  }
  return noise;
}
