import { expected } from "../errors.js";
import { requireFloats } from "../images/grey-image.js";
import { type RandomStream, requireRandom } from "../random/random-stream.js";

/**
 * Returns the pixels plus independent normal noise of level σ, neither clipped nor rounded. `sigma`
 * has the unit of the pixels: 25 grey levels are 25/255 if 1 is white.
 */
export function withWhiteNoise(
  pixels: Float32Array,
  sigma: number,
  random: RandomStream,
): Float32Array {
  requireFloats(pixels, "pixels");
  if (!(sigma >= 0 && sigma < Infinity)) {
    throw expected("sigma", "be a finite number of at least 0", sigma);
  }
  requireRandom(random);
  const noise = random.normalFill(new Float32Array(pixels.length));
  return pixels.map((value, k) => value + sigma * noise[k]);
}
