/**
 * Opponent colours: a fixed rotation that makes the channels of photographs nearly uncorrelated, so
 * each can be denoised separately. Ohta, Kanade & Sakai (1980) find these axes by PCA.
 *
 *   o₁ = (R + G + B) / 3          brightness: the orthonormal row (1, 1, 1)/√3, divided by √3
 *   o₂ = (R − B) / √2             red against blue
 *   o₃ = (R − 2G + B) / √6        green against magenta
 *
 * The first is the mean of the three and stays within 0 to 1 like grey values. The other two keep
 * the scale of orthonormal rows and lie around 0. White noise with the same σ in R, G and B remains
 * uncorrelated.
 */
import { expected } from "../errors.js";
import { portableHypot } from "../numbers/hypotenuse.js";

/** Three channels with one value per pixel each. */
export type ThreeChannels = readonly [Float32Array, Float32Array, Float32Array];

type Triple = readonly [number, number, number];

/** Row i computes o_i from (R, G, B). */
const rows: readonly [Triple, Triple, Triple] = [
  [1 / 3, 1 / 3, 1 / 3],
  [1 / Math.SQRT2, 0, -1 / Math.SQRT2],
  [1 / Math.sqrt(6), -2 / Math.sqrt(6), 1 / Math.sqrt(6)],
];

/** The inverse is the transpose, since the rows are orthogonal, but for the first row's length. */
const inverseRows = [0, 1, 2].map((j): Triple => [3 * rows[0][j], rows[1][j], rows[2][j]]);

/** Returns brightness and two colour differences from red, green and blue. */
export function decorrelateColours(channels: readonly Float32Array[]): ThreeChannels {
  return transformed(rows, channels);
}

/** Inverts {@link decorrelateColours}, to the precision of Float32. */
export function recorrelateColours(channels: readonly Float32Array[]): ThreeChannels {
  return transformed(inverseRows, channels);
}

/**
 * Returns the noise levels in the three channels of {@link decorrelateColours}, √Σ_j a_ij² σ_j²,
 * for independent white noise in red, green and blue.
 */
export function noiseLevels(sigmas: readonly number[]): [number, number, number] {
  if (sigmas.length !== 3) throw expected("sigmas", "hold 3 values", sigmas.length);
  sigmas.forEach((sigma, j) => {
    if (sigma >= 0 && sigma < Infinity) return;
    throw expected(`sigmas[${j}]`, "be finite and not negative", sigma);
  });
  const [red, green, blue] = sigmas;
  const level = ([a, b, c]: Triple): number => portableHypot(a * red, b * green, c * blue);
  return [level(rows[0]), level(rows[1]), level(rows[2])];
}

function transformed(matrix: readonly Triple[], channels: readonly Float32Array[]): ThreeChannels {
  if (channels.length !== 3) throw expected("channels", "be three", channels.length);
  const [first, second, third] = channels;
  for (const { length } of channels) {
    if (length !== first.length) throw expected("channels", "be equally long", length);
  }
  const mixed = ([a, b, c]: Triple): Float32Array =>
    first.map((value, k) => a * value + b * second[k] + c * third[k]);
  return [mixed(matrix[0]), mixed(matrix[1]), mixed(matrix[2])];
}
