/**
 * Fourier transform of a convolution. With x̂(ω) = Σ_p x_p e^(−iω·p), ŷ(ω) = F̂(ω) x̂(ω), where
 *
 *   F̂(ω) = Σ_q F_q e^(iω·q)          C×C, complex
 *
 * All frequencies with the same u share the sums over rows of taps:
 *
 *   R_t = Σ_{q in row t} F_q e^(2πi u q_x/w),   F̂ = Σ_t R_t e^(2πi v q_y/h)
 *
 * Cost: 4 C² products per row of taps and frequency, 2 C² per tap and u.
 */
import { type ComplexArray, complexArray } from "../../fourier/complex-array.js";
import type { Convolution } from "../convolution.js";
import type { GridSize } from "../field.js";
import { type Frequency, phasesOf } from "./frequencies.js";

/** Computes F̂ at one frequency after the other, fastest while u stays the same. */
export class ConvolutionSpectrum {
  /** F̂(ω) of the last call of {@link at}. */
  readonly matrix: ComplexArray;
  /** R_t for the current u. */
  private readonly rows: readonly ComplexArray[];
  private u = -1;

  constructor(
    private readonly convolution: Convolution,
    private readonly grid: GridSize,
  ) {
    const { maps, taps } = convolution;
    this.matrix = complexArray(maps * maps);
    this.rows = Array.from({ length: taps.height }, () => complexArray(maps * maps));
  }

  at({ u, v }: Frequency): ComplexArray {
    if (u !== this.u) this.sumRows(u);
    const { matrix, grid } = this;
    const { top, height } = this.convolution.taps;
    matrix.real.fill(0);
    matrix.imaginary.fill(0);
    phasesOf(v, grid.height, top, height).forEach(({ cosine, sine }, t) => {
      addMultiple(matrix, this.rows[t], cosine, sine);
    });
    return matrix;
  }

  private sumRows(u: number): void {
    const { taps, maps, weights } = this.convolution;
    const square = maps * maps;
    const phases = phasesOf(u, this.grid.width, taps.left, taps.width);
    this.rows.forEach(({ real, imaginary }, t) => {
      real.fill(0);
      imaginary.fill(0);
      phases.forEach(({ cosine, sine }, s) => {
        const start = (t * taps.width + s) * square;
        for (let k = 0; k < square; k++) {
          real[k] += cosine * weights[start + k];
          imaginary[k] += sine * weights[start + k];
        }
      });
    });
    this.u = u;
  }
}

/** target += (cosine + i sine) · source */
function addMultiple(target: ComplexArray, source: ComplexArray, cosine: number, sine: number) {
  const { real, imaginary } = target;
  for (let k = 0; k < real.length; k++) {
    const re = source.real[k];
    const im = source.imaginary[k];
    real[k] += cosine * re - sine * im;
    imaginary[k] += cosine * im + sine * re;
  }
}
