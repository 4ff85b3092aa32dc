/** Which values from 0 to 1 belong to which code of a quantized picture. */
import { expected } from "../errors.js";
import type { Quantization } from "../images/decoded-image.js";
import { srgbToLinear } from "../images/luminance.js";

export interface CodeIntervals {
  /** Levels + 1 of them, ascending from 0 to 1: the values of code k lie from borders[k] up to, but without, borders[k + 1]. */
  readonly borders: Float64Array;
  /** The code of a pixel as it was decoded: that of the nearest one, of which there are only `levels`. */
  readonly ofPixel: IntervalFinder;
  /** The code in whose interval a value lies. */
  readonly ofValue: IntervalFinder;
}

/** No file has more than 16 bits a sample that are not floating point. */
const mostLevels = 65536;

const known = new Map<string, CodeIntervals>();

/** Made once: a power for every pixel would cost more than reading the picture. */
export function codeIntervalsOf({ levels, spacing }: Quantization): CodeIntervals {
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
 * Codes are evenly spaced in the encoded picture; L is its curve, the identity where `spacing` is even.
 *
 *   borders     L(k/levels), k = 0 … levels
 *   pixels      L(k/(levels − 1)), k = 0 … levels − 1, told apart in the middle: at L((k − ½)/(levels − 1))
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

/** Few enough to stay in the processor's cache, enough that 256 codes are mostly found at the first look. */
const fewestCells = 4096;

/** Finds the interval in which a value lies, among ascending borders from 0 to 1. */
export class IntervalFinder {
  private readonly last: number;
  private readonly cells: number;
  /** Where to begin looking, by the square root: codes lie densest near black, and roots are exact on every engine. */
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
