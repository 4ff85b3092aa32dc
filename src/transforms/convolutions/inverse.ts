/**
 * Inverse of a convolution, frequency by frequency: x̂(ω) = F̂(ω)⁻¹ ŷ(ω), always in Float64.
 *
 *   symbol  variable   shape
 *   ŷ, x̂    spectrum   frequencies of half the grid × C, complex
 */
import { GaussianizeError } from "../../errors.js";
import { type ComplexArray, complexArray } from "../../fourier/complex-array.js";
import { fourierTransform2d } from "../../fourier/fourier-transform-2d.js";
import { type Convolution, requireConvolution } from "../convolution.js";
import { type Field, type GridSize, requireField } from "../field.js";
import { ComplexElimination } from "./complex-elimination.js";
import { type Frequency, halfGrid, wrapped } from "./frequencies.js";
import { ConvolutionSpectrum } from "./spectrum.js";

/** Returns the field x with Σ_q F_q x_{p+q} = y_p. */
export function invertConvolution(given: Convolution, y: Field): Field {
  const convolution = requireConvolution(given);
  requireField(y, "the field", convolution.maps);
  const spectrum = spectrumOf(y);
  const solver = new ConvolutionSolver(convolution, y);
  halfGrid(y).forEach((frequency, k) => {
    if (solver.factor(frequency) === -Infinity) throw new LostFrequencyError(y, frequency);
    solver.solve(rowOf(spectrum, k, convolution.maps));
  });
  return fieldOf(spectrum, y, convolution.maps);
}

/** Factors F̂(ω) at one frequency after the other, for a checked convolution. */
export class ConvolutionSolver {
  private readonly spectrum: ConvolutionSpectrum;
  private readonly elimination: ComplexElimination;

  constructor(convolution: Convolution, grid: GridSize) {
    this.spectrum = new ConvolutionSpectrum(convolution, grid);
    this.elimination = new ComplexElimination(convolution.maps);
  }

  /** Returns log |det F̂(ω)|, or −∞ if the frequency is lost. */
  factor(frequency: Frequency): number {
    return this.elimination.factor(this.spectrum.at(frequency));
  }

  /** Overwrites ŷ(ω) with x̂(ω), at the frequency of the last call of {@link factor}. */
  solve(vector: ComplexArray): void {
    this.elimination.solve(vector);
  }
}

/** Error for a convolution that is singular on fields of a given size. */
export class LostFrequencyError extends GaussianizeError {
  override readonly name = "LostFrequencyError";

  constructor({ width, height }: GridSize, { u, v }: Frequency) {
    super(
      "not-invertible",
      `Expected the convolution to be invertible on ${width}×${height} locations but it loses the frequency (${u}, ${v}).`,
    );
  }
}

/** Returns the Fourier transform of every map, on half of the grid. */
export function spectrumOf({ width, height, maps, values }: Field): ComplexArray {
  const frequencies = halfGrid({ width, height });
  const spectrum = complexArray(frequencies.length * maps);
  for (let c = 0; c < maps; c++) {
    const map = Float64Array.from({ length: width * height }, (_, p) => values[p * maps + c]);
    const { real, imaginary } = fourierTransform2d({ width, height, real: map });
    frequencies.forEach(({ u, v }, k) => {
      spectrum.real[k * maps + c] = real[v * width + u];
      spectrum.imaginary[k * maps + c] = imaginary[v * width + u];
    });
  }
  return spectrum;
}

/** Returns the field with this spectrum, whose values at −ω are the conjugates of those at ω. */
export function fieldOf(spectrum: ComplexArray, { width, height }: GridSize, maps: number): Field {
  const frequencies = halfGrid({ width, height });
  const values = new Float64Array(width * height * maps);
  for (let c = 0; c < maps; c++) {
    const { real, imaginary } = complexArray(width * height);
    frequencies.forEach(({ u, v }, k) => {
      const opposite = wrapped(-v, height) * width + wrapped(-u, width);
      real[opposite] = spectrum.real[k * maps + c];
      imaginary[opposite] = -spectrum.imaginary[k * maps + c];
      real[v * width + u] = spectrum.real[k * maps + c];
      imaginary[v * width + u] = spectrum.imaginary[k * maps + c];
    });
    const map = fourierTransform2d({ width, height, real, imaginary }, "inverse").real;
    for (let p = 0; p < map.length; p++) values[p * maps + c] = map[p];
  }
  return { width, height, maps, values };
}

/** Returns the values of one frequency as a view. */
export function rowOf({ real, imaginary }: ComplexArray, k: number, maps: number): ComplexArray {
  const [from, to] = [k * maps, (k + 1) * maps];
  return { real: real.subarray(from, to), imaginary: imaginary.subarray(from, to) };
}
