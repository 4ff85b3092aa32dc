import { expected } from "../errors.js";
import { unitRoot } from "../numbers/unit-root.js";

/** Samples of the spectrum per frequency of the patch, so that several samples see each peak. */
const padding = 4;

/**
 * The power spectrum of a square of pixels h with zeros around it, by plain sums: patches are too
 * small for a fast transform to pay.
 *
 *   P(u, v) = |Σ_{r,c} h_rc e^(−2πi (u c + v r)/M)|²,   M = 4·size
 *
 *   symbol  variable  meaning
 *   u, v    u, v      frequency along columns and along rows, u/M and v/M cycles per pixel;
 *                     −M/2 … M/2, period M
 *   M       period
 *
 * P(−u, −v) = P(u, v), so only u ≥ 0 is computed. Cost: about 10·size³ complex products.
 */
export class PatchSpectrum {
  readonly period: number;
  private readonly size: number;
  private readonly cos: Float64Array;
  private readonly sin: Float64Array;
  /** Real and imaginary part of each row after the sums over columns, for one u. */
  private readonly rows: Float64Array;
  /** P for u from 0 to M/2 and v from 0 to M − 1. */
  private readonly powers: Float64Array;

  constructor(size: number) {
    if (!Number.isInteger(size) || size < 2) {
      throw expected("size", "be an integer of at least 2", size);
    }
    const period = padding * size;
    const roots = Array.from({ length: period }, (_, k) => unitRoot(k, period));
    this.period = period;
    this.size = size;
    this.cos = Float64Array.from(roots, ({ cosine }) => cosine);
    this.sin = Float64Array.from(roots, ({ sine }) => sine);
    this.rows = new Float64Array(2 * size);
    this.powers = new Float64Array((period / 2 + 1) * period);
  }

  /** Computes the spectrum of the patch that begins at `patches[at]`. */
  analyse(patches: ArrayLike<number>, at: number): this {
    for (let u = 0; u <= this.period / 2; u++) {
      this.sumColumns(patches, at, u);
      this.sumRows(u);
    }
    return this;
  }

  /** P(u, v) for any integers u and v. */
  power(u: number, v: number): number {
    const period = this.period;
    const sign = modulo(u, period) > period / 2 ? -1 : 1;
    return this.powers[modulo(sign * u, period) * period + modulo(sign * v, period)];
  }

  private sumColumns(patches: ArrayLike<number>, at: number, u: number): void {
    const size = this.size;
    for (let row = 0; row < size; row++) {
      let [real, imaginary] = [0, 0];
      // k = u·column modulo M, without a division in the innermost loop.
      for (let column = 0, k = 0; column < size; column++) {
        const h = patches[at + row * size + column];
        real += h * this.cos[k];
        imaginary -= h * this.sin[k];
        k = k + u < this.period ? k + u : k + u - this.period;
      }
      this.rows[2 * row] = real;
      this.rows[2 * row + 1] = imaginary;
    }
  }

  private sumRows(u: number): void {
    const period = this.period;
    for (let v = 0; v < period; v++) {
      let [real, imaginary] = [0, 0];
      for (let row = 0, k = 0; row < this.size; row++) {
        const a = this.rows[2 * row];
        const b = this.rows[2 * row + 1];
        real += a * this.cos[k] + b * this.sin[k];
        imaginary += b * this.cos[k] - a * this.sin[k];
        k = k + v < period ? k + v : k + v - period;
      }
      this.powers[u * period + v] = real * real + imaginary * imaginary;
    }
  }
}

function modulo(k: number, period: number): number {
  return ((k % period) + period) % period;
}
