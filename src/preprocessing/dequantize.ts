import { expected } from "../errors.js";
import type { Quantization } from "../images/decoded-image.js";
import type { GreyImage } from "../images/grey-image.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { RandomStream } from "../random/random-stream.js";
import { codeIntervalsOf } from "./code-intervals.js";

/** The pixels of a decoded picture, and what its codes were. */
export type QuantizedPixels = Pick<GreyImage, "pixels"> & Quantization;

/**
 * Spreads the codes of a picture over their intervals: a new array with values in [0, 1). Without it a density could put all its mass
 * on the codes, and likelihoods would mean nothing (Uria, Murray & Larochelle 2013). With u uniform in [0, 1), code k becomes
 *
 *   even   (k + u)/levels
 *   srgb   L(k/levels) + u·(L((k + 1)/levels) − L(k/levels)), L the sRGB curve to linear light
 *
 * so that the values of a code are uniform in its interval either way. A picture of three channels has colours between
 * the codes; it counts as the grey picture of `levels` codes that is nearest. Floating point is copied as it is.
 */
export function dequantize(image: QuantizedPixels, random: RandomStream): Float32Array {
  const { pixels, spacing } = image;
  if (spacing === "none") return pixels.slice();
  const { borders, ofPixel } = codeIntervalsOf(image);
  const values = random.uniformFill(new Float32Array(pixels.length));
  for (let i = 0; i < pixels.length; i++) {
    requireFromZeroToOne("pixels", pixels, i);
    const code = ofPixel.indexOf(pixels[i]);
    const lower = borders[code];
    const upper = borders[code + 1];
    values[i] = lower + values[i] * (upper - lower);
    // Float32 may round up, which would make it a value of the next code.
    if (values[i] >= upper) values[i] = float32Before(upper);
  }
  return values;
}

/**
 * The width of the interval in which each value from {@link dequantize} lies. A density p of a code's values gives the code
 * itself the probability p·width: −log₂(p·width) are its bits.
 */
export function codeWidths(values: FloatArray, quantization: Quantization): Float64Array {
  const { borders, ofValue } = codeIntervalsOf(quantization);
  const widths = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    requireFromZeroToOne("values", values, i);
    const code = ofValue.indexOf(values[i]);
    widths[i] = borders[code + 1] - borders[code];
  }
  return widths;
}

/** Others have no code; most likely they are counts from 0 to 255. */
function requireFromZeroToOne(name: string, values: FloatArray, i: number): void {
  if (values[i] >= 0 && values[i] <= 1) return;
  throw expected(`${name}[${i}]`, "be from 0 to 1", values[i]);
}

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** The largest Float32 below a positive one. */
function float32Before(value: number): number {
  float[0] = value;
  bits[0]--;
  return float[0];
}
