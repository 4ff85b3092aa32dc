/**
 * Discrete Fourier transform of two-dimensional arrays, along rows and then along columns:
 *
 *   X_{uv} = Σ_{xy} x_{xy} e^{−2πi (ux/w + vy/h)}
 *
 *   symbol  variable       meaning
 *   x, y    –              column and row
 *   u, v    –              cycles along the width w and the height h
 */
import { expected } from "../errors.js";
import { complexArray } from "./complex-array.js";
import { type LineBlock, lanes, lineBlock, transformColumns } from "./line-blocks.js";

/** Values row by row; a missing imaginary part counts as 0. */
export interface FourierArray {
  readonly width: number;
  readonly height: number;
  readonly real: Float32Array | Float64Array;
  readonly imaginary?: Float32Array | Float64Array;
}

export interface ComplexArray2d {
  readonly width: number;
  readonly height: number;
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
}

const directions = ["forward", "inverse"] as const;

export type FourierDirection = (typeof directions)[number];

/** Returns the transform in a new array; "inverse" includes the factor 1/(w h). */
export function fourierTransform2d(
  array: FourierArray,
  direction: FourierDirection = "forward",
): ComplexArray2d {
  requireArray(array);
  if (!directions.includes(direction)) {
    throw expected("direction", 'be "forward" or "inverse"', direction);
  }
  const { width, height, real, imaginary } = array;
  const result = { width, height, ...complexArray(width * height) };
  result.real.set(real);
  if (imaginary) result.imaginary.set(imaginary);
  const way = direction === "forward" ? "forward" : "backward";
  transformRows(result, lineBlock(width), way);
  transformColumns(result, width, lineBlock(height), way);
  if (direction === "inverse") divide(result, width * height);
  return result;
}

function transformRows(
  { width, height, real, imaginary }: ComplexArray2d,
  block: LineBlock,
  way: "forward" | "backward",
): void {
  const { real: blockReal, imaginary: blockImaginary } = block.values;
  for (let first = 0; first < height; first += lanes) {
    const count = Math.min(lanes, height - first);
    for (let q = 0; q < count; q++) {
      for (let x = 0, at = (first + q) * width; x < width; x++, at++) {
        blockReal[x * lanes + q] = real[at];
        blockImaginary[x * lanes + q] = imaginary[at];
      }
    }
    block[way]();
    for (let q = 0; q < count; q++) {
      for (let x = 0, at = (first + q) * width; x < width; x++, at++) {
        real[at] = blockReal[x * lanes + q];
        imaginary[at] = blockImaginary[x * lanes + q];
      }
    }
  }
}

function divide({ real, imaginary }: ComplexArray2d, by: number): void {
  for (let k = 0; k < real.length; k++) {
    real[k] /= by;
    imaginary[k] /= by;
  }
}

function requireArray({ width, height, real, imaginary = real }: FourierArray): void {
  for (const [name, value] of Object.entries({ width, height })) {
    if (!Number.isInteger(value) || value < 1) throw expected(name, "be a positive integer", value);
  }
  for (const [name, { length }] of Object.entries({ real, imaginary })) {
    if (length === width * height) continue;
    throw expected(name, `hold ${width * height} values (${width}×${height})`, length);
  }
}
