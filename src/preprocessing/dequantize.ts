import { expected } from "../errors.js";
import type { Quantization } from "../images/decoded-image.js";
import type { GreyImage } from "../images/grey-image.js";
import { srgbToLinear } from "../images/luminance.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { RandomStream } from "../random/random-stream.js";

/** The pixels of a decoded picture and the codes that they had. */
export type QuantizedPixels = Pick<GreyImage, "pixels"> & Quantization;

/**
 * Spreads the codes of a picture over their intervals and returns a new array of values in [0, 1).
 * Without this, a density could put all its mass on the codes, and likelihoods would mean nothing
 * (Uria, Murray & Larochelle 2013). With u uniform in [0, 1), code k becomes
 *
 *   even   (k + u)/levels
 *   srgb   L(k/levels) + u·(L((k + 1)/levels) − L(k/levels)), L the sRGB curve to linear light
 *
 * so the values of a code are uniform in its interval either way. The luminance of a colour picture
 * may lie between codes; it is rounded to the nearest of `levels` codes. Floating point is copied
 * unchanged.
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
 * Returns the width of the interval that contains each value from {@link dequantize}. A density p
 * of a code's values gives the code the probability p·width, which takes −log₂(p·width) bits.
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

/** Returns the code of each value from {@link dequantize}. */
export function codesOf(values: FloatArray, quantization: Quantization): Uint16Array {
  const { ofValue } = codeIntervalsOf(quantization);
  const codes = new Uint16Array(values.length);
  for (let i = 0; i < values.length; i++) {
    requireFromZeroToOne("values", values, i);
    codes[i] = ofValue.indexOf(values[i]);
  }
  return codes;
}

/** Rejects values without a code, most likely counts from 0 to 255. */
function requireFromZeroToOne(name: string, values: FloatArray, i: number): void {
  if (values[i] >= 0 && values[i] <= 1) return;
  throw expected(`${name}[${i}]`, "be from 0 to 1", values[i]);
}

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** Returns the largest Float32 below a positive one. */
function float32Before(value: number): number {
  float[0] = value;
  bits[0]--;
  return float[0];
}

/** The intervals of values from 0 to 1 that belong to the codes of a quantised picture. */
interface CodeIntervals {
  /**
   * `levels` + 1 values, ascending from 0 to 1: code k has the interval [borders[k], borders[k+1]).
   */
  readonly borders: Float64Array;
  /** Finds the code nearest to a decoded pixel. */
  readonly ofPixel: IntervalFinder;
  /** Finds the code whose interval contains a value. */
  readonly ofValue: IntervalFinder;
}

/** Files have at most 16 bits per sample, except in floating point. */
const mostLevels = 65536;

/** Cache: a power for every pixel would cost more than reading the picture. */
const known = new Map<string, CodeIntervals>();

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
 * Codes are evenly spaced in the encoded picture; L is its curve, the identity for even spacing.
 *
 *   borders     L(k/levels), k = 0 … levels
 *   pixels      L(k/(levels − 1)), k = 0 … levels − 1, separated at L((k − ½)/(levels − 1))
 */
function makeIntervals(levels: number, spacing: "even" | "srgb"): CodeIntervals {
  const curve = spacing === "even" ? Number : (x: number) => Math.fround(srgbToLinear(x));
  // Rounded to Float32, or a Float32 value could fall on the wrong side of its own border.
  const borders = Float64Array.from({ length: levels + 1 }, (_, k) =>
    Math.fround(curve(k / levels)),
  );
  const middles = Float64Array.from({ length: levels + 1 }, (_, k) =>
    k === 0 ? 0 : k === levels ? 1 : curve((k - 0.5) / (levels - 1)),
  );
  return { borders, ofPixel: new IntervalFinder(middles), ofValue: new IntervalFinder(borders) };
}

/** Few enough for the processor's cache, enough to find most of 256 codes at the first look. */
const fewestCells = 4096;

/** Finds the interval in which a value lies, among ascending borders from 0 to 1. */
class IntervalFinder {
  private readonly last: number;
  private readonly cells: number;
  /**
   * First interval to try, by the square root of the value: codes are densest near black, and roots
   * are exact on every engine.
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

  /** Returns the interval of a value from 0 to 1; the last one contains 1. */
  indexOf(value: number): number {
    const { borders, last } = this;
    let k = this.starts[Math.floor(Math.sqrt(value) * this.cells)];
    while (k < last && value >= borders[k + 1]) k++;
    // Rounding may put a start too far.
    while (value < borders[k]) k--;
    return k;
  }
}
