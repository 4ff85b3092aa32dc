/**
 * Two-dimensional Fourier transform of real arrays with half the work and memory: X_{−u,−v} is the
 * conjugate of X_{uv}, so columns u = 0 … ⌊w/2⌋ are enough. Two rows a, b are transformed as one
 * complex row a + ib.
 */
import { complexArray } from "./complex-array.js";
import { type LineBlock, lanes, lineBlock, transformColumns } from "./line-blocks.js";

/** Row v holds the frequencies u = 0 … columns − 1 along the width. */
export interface HalfSpectrum {
  readonly columns: number;
  readonly height: number;
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
}

/**
 * Transforms for arrays of one size. They check nothing and reuse memory, so a plan serves one
 * caller at a time.
 */
export interface RealFourierPlan2d {
  readonly width: number;
  readonly height: number;
  forward(values: Float32Array | Float64Array): HalfSpectrum;
  /** Returns the real part of the inverse, with the factor 1/(w h); overwrites the spectrum. */
  inverse(spectrum: HalfSpectrum): Float64Array;
}

export function realFourierPlan2d(width: number, height: number): RealFourierPlan2d {
  const row = lineBlock(width);
  const column = lineBlock(height);
  return {
    width,
    height,
    forward(values) {
      const spectrum = emptyHalfSpectrum(width, height);
      for (let first = 0; first < height; first += 2 * lanes) {
        packRealRows(values, first, width, height, row);
        row.forward();
        unpackSpectra(row, spectrum, first, width);
      }
      transformColumns(spectrum, spectrum.columns, column, "forward");
      return spectrum;
    },
    inverse(spectrum) {
      const values = new Float64Array(width * height);
      transformColumns(spectrum, spectrum.columns, column, "backward");
      for (let first = 0; first < height; first += 2 * lanes) {
        packSpectra(spectrum, first, width, row);
        row.backward();
        unpackRealRows(row, values, first, width, height);
      }
      return values;
    },
  };
}

export function emptyHalfSpectrum(width: number, height: number): HalfSpectrum {
  const columns = Math.floor(width / 2) + 1;
  return { columns, height, ...complexArray(columns * height) };
}

/** Rows first + 2q and first + 2q + 1 become the real and the imaginary part of line q. */
function packRealRows(
  values: Float32Array | Float64Array,
  first: number,
  width: number,
  height: number,
  { values: { real, imaginary } }: LineBlock,
): void {
  for (let q = 0; q < lanes && first + 2 * q < height; q++) {
    const start = (first + 2 * q) * width;
    const hasSecond = first + 2 * q + 1 < height;
    for (let x = 0; x < width; x++) {
      real[x * lanes + q] = values[start + x];
      imaginary[x * lanes + q] = hasSecond ? values[start + width + x] : 0;
    }
  }
}

function unpackRealRows(
  { values: { real, imaginary } }: LineBlock,
  values: Float64Array,
  first: number,
  width: number,
  height: number,
): void {
  const scale = 1 / (width * height);
  for (let q = 0; q < lanes && first + 2 * q < height; q++) {
    const start = (first + 2 * q) * width;
    for (let x = 0; x < width; x++) values[start + x] = real[x * lanes + q] * scale;
    if (first + 2 * q + 1 === height) return;
    for (let x = 0; x < width; x++) values[start + width + x] = imaginary[x * lanes + q] * scale;
  }
}

/** Splits Z = A + iB: A_u = (Z_u + Z̄_{w−u}) / 2, B_u = (Z_u − Z̄_{w−u}) / 2i. */
function unpackSpectra(
  { values }: LineBlock,
  { columns, height, real, imaginary }: HalfSpectrum,
  first: number,
  width: number,
): void {
  for (let q = 0; q < lanes && first + 2 * q < height; q++) {
    const start = (first + 2 * q) * columns;
    const hasSecond = first + 2 * q + 1 < height;
    for (let u = 0; u < columns; u++) {
      const near = u * lanes + q;
      const far = u === 0 ? near : (width - u) * lanes + q;
      const zr = values.real[near];
      const zi = values.imaginary[near];
      const yr = values.real[far];
      const yi = values.imaginary[far];
      real[start + u] = (zr + yr) / 2;
      imaginary[start + u] = (zi - yi) / 2;
      if (!hasSecond) continue;
      real[start + columns + u] = (zi + yi) / 2;
      imaginary[start + columns + u] = (yr - zr) / 2;
    }
  }
}

/** Z_u = A_u + iB_u and Z_{w−u} = Ā_u + iB̄_u; for u = w − u, A_u and B_u are real. */
function packSpectra(
  { columns, height, real, imaginary }: HalfSpectrum,
  first: number,
  width: number,
  { values }: LineBlock,
): void {
  for (let q = 0; q < lanes && first + 2 * q < height; q++) {
    const start = (first + 2 * q) * columns;
    const hasSecond = first + 2 * q + 1 < height;
    for (let u = 0; u < columns; u++) {
      const isAlone = u === 0 || 2 * u === width;
      const ar = real[start + u];
      const ai = isAlone ? 0 : imaginary[start + u];
      const br = hasSecond ? real[start + columns + u] : 0;
      const bi = hasSecond && !isAlone ? imaginary[start + columns + u] : 0;
      const near = u * lanes + q;
      values.real[near] = ar - bi;
      values.imaginary[near] = ai + br;
      if (isAlone) continue;
      const far = (width - u) * lanes + q;
      values.real[far] = ar + bi;
      values.imaginary[far] = br - ai;
    }
  }
}
