/** One value per pixel from the samples of an sRGB picture; all values from 0 to 1. */
import { expected } from "../errors.js";
import { portablePow } from "../numbers/power.js";

/** The value that a pixel becomes. */
export type Luminance =
  /** Rec. 601 luma of the encoded values, as in the BSDS protocols. */
  | "grey"
  /**
   * Luminance in linear light (Rec. 709 weights, without the sRGB curve), as in the paper (§6.3).
   */
  | "linear";

export function requireLuminance(kind: Luminance): void {
  if (["grey", "linear"].includes(kind)) return;
  throw expected("luminance", 'be "grey" or "linear"', kind);
}

export function luminanceOf(kind: Luminance, red: number, green: number, blue: number): number {
  return kind === "grey"
    ? 0.299 * red + 0.587 * green + 0.114 * blue
    : 0.2126 * srgbToLinear(red) + 0.7152 * srgbToLinear(green) + 0.0722 * srgbToLinear(blue);
}

/** The sRGB curve, IEC 61966-2-1. */
export function srgbToLinear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : portablePow((value + 0.055) / 1.055, 2.4);
}

/** Encodes linear light from 0 to 1 as an sRGB value from 0 to 1 (IEC 61966-2-1). */
export function linearToSrgb(value: number): number {
  return value <= 0.0031308 ? 12.92 * value : 1.055 * portablePow(value, 1 / 2.4) - 0.055;
}

/** Samples as integers: 0 to 255, or 0 to 65535 for an array of 16-bit values. */
type Codes = Uint8Array | Uint8ClampedArray | Uint16Array;

/** Samples per pixel: 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha; alpha is dropped. */
type ChannelCount = 1 | 2 | 3 | 4;

/** Returns `luminanceOf` the sRGB samples of each pixel, with the same bits. */
export function luminancePixels(
  kind: Luminance,
  samples: Codes,
  channels: ChannelCount,
): Float32Array {
  const largest = samples.BYTES_PER_ELEMENT === 1 ? 255 : 65535;
  const pixels = new Float32Array(samples.length / channels);
  if (channels < 3) {
    const grey = tableOf(kind, largest, "all");
    for (let k = 0; k < pixels.length; k++) pixels[k] = grey[samples[k * channels]];
    return pixels;
  }
  const red = tableOf(kind, largest, "red");
  const green = tableOf(kind, largest, "green");
  const blue = tableOf(kind, largest, "blue");
  for (let k = 0, at = 0; k < pixels.length; k++, at += channels) {
    pixels[k] = red[samples[at]] + green[samples[at + 1]] + blue[samples[at + 2]];
  }
  return pixels;
}

/** Weighs samples that have no curve, such as those of floating-point files. */
export function weightedPixels(
  kind: Luminance,
  samples: Float32Array,
  channels: ChannelCount,
): Float32Array {
  if (channels < 3) return samples.filter((_, at) => at % channels === 0);
  const [red, green, blue] = [
    luminanceOf(kind, 1, 0, 0),
    luminanceOf(kind, 0, 1, 0),
    luminanceOf(kind, 0, 0, 1),
  ];
  const pixels = new Float32Array(samples.length / channels);
  for (let k = 0, at = 0; k < pixels.length; k++, at += channels) {
    pixels[k] = red * samples[at] + green * samples[at + 1] + blue * samples[at + 2];
  }
  return pixels;
}

type Share = "red" | "green" | "blue" | "all";

const tables = new Map<string, Float64Array>();

/**
 * Returns what each code of one channel, or of three equal ones, adds to the luminance. Tables are
 * made once, on demand: a power for every sample would cost more than the rest of decoding.
 */
function tableOf(kind: Luminance, largest: number, share: Share): Float64Array {
  const key = `${kind} ${largest} ${share}`;
  const known = tables.get(key);
  if (known) return known;
  const table = new Float64Array(largest + 1);
  const part = (channel: Share, value: number): number =>
    share === channel || share === "all" ? value : 0;
  for (let code = 0; code <= largest; code++) {
    const value = code / largest;
    table[code] = luminanceOf(kind, part("red", value), part("green", value), part("blue", value));
  }
  tables.set(key, table);
  return table;
}
