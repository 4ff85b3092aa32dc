/**
 * Stage of a large prime p (Bluestein 1970): its Fourier transform as a convolution with a chirp,
 * which is computed by transforms of a length M ≥ 2p − 1 without large factors.
 *
 *   X_r = c_r Σ_j (x_j c_j) c̄_{r−j},   c_j = e^{−πi j²/p},   since jr = (j² + r² − (r − j)²) / 2
 *
 * k, m, s and ω as in butterflies.ts.
 */
import { unitRoot } from "../numbers/unit-root.js";
import { type ComplexArray, type Stage, complexArray } from "./complex-array.js";

/** Transforms `s` sequences side by side, in place. */
type Transform = (values: ComplexArray) => void;

interface ChirpSizes {
  readonly p: number;
  readonly m: number;
  readonly s: number;
  /** M */
  readonly padded: number;
}

/** `transform` has length M and works on s sequences, `transformOne` on one. */
export function chirpStage(
  { p, m, s, padded }: ChirpSizes,
  transform: Transform,
  transformOne: Transform,
): Stage {
  const chirp = chirpOf(p);
  const response = chirpResponse(chirp, p, padded, transformOne);
  const turns = turnedChirps(chirp, p, m);
  const work = complexArray(padded * s);
  const swapped = { real: work.imaginary, imaginary: work.real };
  return (x, y) => {
    for (let k = 0; k < m; k++) {
      const input = { from: s * k, step: s * m, count: p, s };
      multiplyInto(x, input, chirp, 0, work, 0, s);
      work.real.fill(0, p * s);
      work.imaginary.fill(0, p * s);
      transform(work);
      multiplyInto(work, { from: 0, step: s, count: padded, s }, response, 0, work, 0, s);
      // Exchanging real and imaginary parts gives the inverse.
      transform(swapped);
      multiplyInto(work, { from: 0, step: s, count: p, s }, turns, k * p, y, p * s * k, s);
    }
  };
}

/** Returns c_j; j² modulo 2p is an integer, so the angles are exact. */
function chirpOf(p: number): ComplexArray {
  const chirp = complexArray(p);
  for (let j = 0; j < p; j++) {
    const { cosine, sine } = unitRoot((j * j) % (2 * p), 2 * p);
    chirp.real[j] = cosine;
    chirp.imaginary[j] = -sine;
  }
  return chirp;
}

/** Returns the transform of c̄_j, j = 1 − p … p − 1, divided by M for the inverse transform. */
function chirpResponse(
  chirp: ComplexArray,
  p: number,
  padded: number,
  transform: Transform,
): ComplexArray {
  const response = complexArray(padded);
  for (let j = 0; j < p; j++) {
    for (const place of [j, (padded - j) % padded]) {
      response.real[place] = chirp.real[j] / padded;
      response.imaginary[place] = -chirp.imaginary[j] / padded;
    }
  }
  transform(response);
  return response;
}

/** Returns c_r ω^{kr}, one row for each k. */
function turnedChirps(chirp: ComplexArray, p: number, m: number): ComplexArray {
  const turns = complexArray(m * p);
  for (let k = 0; k < m; k++) {
    for (let r = 0; r < p; r++) {
      const { cosine, sine } = unitRoot(k * r, p * m);
      const c = chirp.real[r];
      const d = chirp.imaginary[r];
      turns.real[k * p + r] = c * cosine + d * sine;
      turns.imaginary[k * p + r] = d * cosine - c * sine;
    }
  }
  return turns;
}

interface Rows {
  readonly from: number;
  readonly step: number;
  readonly count: number;
  readonly s: number;
}

/** Multiplies row j of x by factor j and writes it to row j of `to`. */
function multiplyInto(
  x: ComplexArray,
  { from, step, count, s }: Rows,
  factors: ComplexArray,
  firstFactor: number,
  to: ComplexArray,
  start: number,
  toStep: number,
): void {
  const xr = x.real;
  const xi = x.imaginary;
  const yr = to.real;
  const yi = to.imaginary;
  for (let j = 0; j < count; j++) {
    const c = factors.real[firstFactor + j];
    const d = factors.imaginary[firstFactor + j];
    for (let q = 0; q < s; q++) {
      const a = xr[from + j * step + q];
      const b = xi[from + j * step + q];
      yr[start + j * toStep + q] = a * c - b * d;
      yi[start + j * toStep + q] = a * d + b * c;
    }
  }
}
