import { expected } from "../errors.js";
import type { Quantization } from "../images/decoded-image.js";
import type { GreyImage } from "../images/grey-image.js";
import { srgbToLinear } from "../images/luminance.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { RandomStream } from "../random/random-stream.js";

/** The pixels of a decoded picture, and what its codes were. */
export type QuantizedPixels = Pick<GreyImage, "pixels"> & Quantization;

/**
 * Spreads the codes of a picture over their intervals: a new array with values in [0, 1). Without
 * it a density could put all its mass on the codes, and likelihoods would mean nothing (Uria,
 * Murray & Larochelle 2013). With u uniform in [0, 1), code k becomes
 *
 *   even   (k + u)/levels
 *   srgb   L(k/levels) + u·(L((k + 1)/levels) − L(k/levels)), L the sRGB curve to linear light
 *
 * so that the values of a code are uniform in its interval either way. A picture of three channels
 * has colours between the codes; it counts as the grey picture of `levels` codes that is nearest.
 * Floating point is copied as it is.
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
 * The width of the interval in which each value from {@link dequantize} lies. A density p of a
 * code's values gives the code itself the probability p·width: −log₂(p·width) are its bits.
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

/** Which values from 0 to 1 belong to which code of a quantized picture. */
interface CodeIntervals {
  /**
   * Levels + 1 of them, ascending from 0 to 1: the values of code k lie from borders[k] up to, but
   * without, borders[k + 1].
   */
  readonly borders: Float64Array;
  /**
   * The code of a pixel as it was decoded: that of the nearest one, of which there are only
   * `levels`.
   */
  readonly ofPixel: IntervalFinder;
  /** The code in whose interval a value lies. */
  readonly ofValue: IntervalFinder;
}

/** No file has more than 16 bits a sample that are not floating point. */
const mostLevels = 65536;

const known = new Map<string, CodeIntervals>();

/** Made once: a power for every pixel would cost more than reading the picture. */
function codeIntervalsOf({ levels, spacing }: Quantization): CodeIntervals {
  if (spacing !== "even" && spacing !== "srgb") {
    throw expected("the spacing of the codes", 'be "even" or "srgb"', spacing);
  }
  if (!Number.isInteger(levels) || levels < 2 || levels > mostLevels) {
    throw expected("levels", `be an integer from 2 to ${mostLevels}`, levels);
  }
  const key = `${spacing} ${levels}`;
  const intervals = known.get(key) ?? makeIntervals(levels, spacing);
  known.set(key, intervals);
  return intervals;
}

/**
 * Codes are evenly spaced in the encoded picture; L is its curve, the identity where `spacing` is
 * even.
 *
 *   borders     L(k/levels), k = 0 … levels
 *   pixels      L(k/(levels − 1)), k = 0 … levels − 1, told apart in the middle, at
 *               L((k − ½)/(levels − 1))
 */
function makeIntervals(levels: number, spacing: "even" | "srgb"): CodeIntervals {
  const curve = spacing === "even" ? Number : (x: number) => Math.fround(srgbToLinear(x));
  // As Float32, or a value of Float32 could come to lie on the wrong side of its own border.
  const borders = Float64Array.from({ length: levels + 1 }, (_, k) =>
    Math.fround(curve(k / levels)),
  );
  const middles = Float64Array.from({ length: levels + 1 }, (_, k) =>
    k === 0 ? 0 : k === levels ? 1 : curve((k - 0.5) / (levels - 1)),
  );
  return { borders, ofPixel: new IntervalFinder(middles), ofValue: new IntervalFinder(borders) };
}

/**
 * Few enough to stay in the processor's cache, enough that 256 codes are mostly found at the first
 * look.
 */
const fewestCells = 4096;

/** Finds the interval in which a value lies, among ascending borders from 0 to 1. */
class IntervalFinder {
  private readonly last: number;
  private readonly cells: number;
  /**
   * Where to begin looking, by the square root: codes lie densest near black, and roots are exact
   * on every engine.
   */
  private readonly starts: Uint16Array;

  constructor(private readonly borders: Float64Array) {
    this.last = borders.length - 2;
    this.cells = Math.max(fewestCells, borders.length - 1);
    this.starts = new Uint16Array(this.cells + 1);
    for (let cell = 0, k = 0; cell <= this.cells; cell++) {
      const root = cell / this.cells;
      while (k < this.last && borders[k + 1] <= root * root) k++;
      this.starts[cell] = k;
    }
  }

  /** Of a value from 0 to 1; 1 itself lies in the last interval. */
  indexOf(value: number): number {
    const { borders, last } = this;
    let k = this.starts[Math.floor(Math.sqrt(value) * this.cells)];
    while (k < last && value >= borders[k + 1]) k++;
    // A start may be rounded beyond its place.
    while (value < borders[k]) k--;
    return k;
  }
}
