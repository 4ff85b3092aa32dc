/**
 * Fourier transform of a convolution at a few frequencies, and its adjoint, as matrix products:
 *
 *   Re F̂(ω) = Σ_q cos(ω·q) F_q,   Im F̂(ω) = Σ_q sin(ω·q) F_q
 *   S_q = Re Σ_ω e^(iω·q) G(ω)
 *
 * Cost: 2 C² products per tap and frequency, more than by rows of taps (spectrum.ts), but fast
 * ones.
 */
import type { FloatArray, Kernels } from "../../kernels/kernels.js";
import type { UnitRoot } from "../../numbers/unit-root.js";
import type { Convolution, Taps } from "../convolution.js";
import type { GridSize } from "../field.js";
import { type Frequency, phasesOf } from "./frequencies.js";

/** A complex matrix in the precision of the kernels. */
export interface ComplexMatrix {
  readonly real: FloatArray;
  readonly imaginary: FloatArray;
}

/** Most values of an operand, so that the kernels keep their memory from product to product. */
const mostValues = 2 ** 20;

/** Complex matrices in one array: real and imaginary parts in turn. */
export interface ComplexMatrices {
  readonly all: FloatArray;
  readonly each: readonly ComplexMatrix[];
}

/** Returns F̂ at each frequency. */
export function spectraAt(
  kernels: Kernels,
  { maps, taps, weights }: Convolution,
  grid: GridSize,
  frequencies: readonly Frequency[],
): ComplexMatrices {
  const phases = frequencies.map((frequency) => phasesOfTaps(taps, grid, frequency));
  const factors = phases.flatMap((ofTaps) => [
    ...ofTaps.map(({ cosine }) => cosine),
    ...ofTaps.map(({ sine }) => sine),
  ]);
  const rows = 2 * frequencies.length;
  const square = maps * maps;
  const all = kernels.floats(rows * square);
  multiplyInSlabs(kernels, factors, weights, all, { rows, inner: taps.width * taps.height });
  const each = frequencies.map((_, k) => ({
    real: all.subarray(2 * k * square, (2 * k + 1) * square),
    imaginary: all.subarray((2 * k + 1) * square, (2 * k + 2) * square),
  }));
  return { all, each };
}

/** Returns Σ_ω weight · Re e^(iω·q) G(ω) for every tap q, in the order of the weights. */
export function tapSums(
  kernels: Kernels,
  { maps, taps }: Convolution,
  grid: GridSize,
  frequencies: readonly Frequency[],
  { all }: ComplexMatrices,
): FloatArray {
  const count = taps.width * taps.height;
  const inner = 2 * frequencies.length;
  const factors = kernels.floats(count * inner);
  frequencies.forEach((frequency, k) => {
    phasesOfTaps(taps, grid, frequency).forEach(({ cosine, sine }, tap) => {
      factors[tap * inner + 2 * k] = frequency.weight * cosine;
      factors[tap * inner + 2 * k + 1] = -frequency.weight * sine;
    });
  });
  const sums = kernels.floats(count * maps * maps);
  multiplyInSlabs(kernels, factors, all, sums, { rows: count, inner });
  return sums;
}

/** Returns e^(iω·q) of every tap. */
function phasesOfTaps(taps: Taps, { width, height }: GridSize, { u, v }: Frequency): UnitRoot[] {
  const columns = phasesOf(u, width, taps.left, taps.width);
  return phasesOf(v, height, taps.top, taps.height).flatMap((row) =>
    columns.map((column) => ({
      cosine: row.cosine * column.cosine - row.sine * column.sine,
      sine: row.sine * column.cosine + row.cosine * column.sine,
    })),
  );
}

/** out = factors · matrix, some columns at a time. */
function multiplyInSlabs(
  kernels: Kernels,
  factors: ArrayLike<number>,
  matrix: FloatArray,
  out: FloatArray,
  { rows, inner }: { readonly rows: number; readonly inner: number },
): void {
  const a = kernels.floats(rows * inner);
  a.set(factors);
  const columns = matrix.length / inner;
  const most = Math.ceil(mostValues / Math.max(rows, inner) / 64) * 64;
  const slab = kernels.floats(inner * Math.min(most, columns));
  const part = kernels.floats(rows * Math.min(most, columns));
  for (let first = 0; first < columns; first += most) {
    const width = Math.min(most, columns - first);
    for (let k = 0; k < inner; k++) {
      slab.set(matrix.subarray(k * columns + first, k * columns + first + width), k * width);
    }
    kernels.multiply(a, slab, part, { rows, inner, columns: width });
    for (let k = 0; k < rows; k++) {
      out.set(part.subarray(k * width, (k + 1) * width), k * columns + first);
    }
  }
}
