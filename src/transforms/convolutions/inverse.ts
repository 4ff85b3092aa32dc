/**
 * The inverse of a convolution, frequency by frequency: x̂(ω) = F̂(ω)⁻¹ ŷ(ω), in Float64 whatever the fields are in.
 *
 *   symbol  variable   shape
 *   ŷ, x̂    spectra    C arrays of w×h complex values, one for each map
 */
import { GaussianizeError } from "../../errors.js";
import { complexArray } from "../../fourier/complex-array.js";
import { type ComplexArray2d, fourierTransform2d } from "../../fourier/fourier-transform-2d.js";
import { type Convolution, requireConvolution } from "../convolution.js";
import { type Field, requireField } from "../field.js";
import { ComplexElimination } from "./complex-elimination.js";
import { halfGrid, wrapped } from "./frequencies.js";
import { ConvolutionSpectrum } from "./spectrum.js";

/** The field x with Σ_q F_q x_{p+q} = y_p. */
export function invertConvolution(given: Convolution, y: Field): Field {
  const convolution = requireConvolution(given);
  const { maps } = convolution;
  requireField(y, "the field", maps);
  const { width, height } = y;
  const spectra = Array.from({ length: maps }, (_, c) => fourierTransform2d(mapOf(y, c)));
  solveFrequencies(convolution, spectra, { width, height });
  const values = new Float64Array(y.values.length);
  spectra.forEach((spectrum, c) => {
    const { real } = fourierTransform2d(spectrum, "inverse");
    for (let p = 0; p < real.length; p++) values[p * maps + c] = real[p];
  });
  return { width, height, maps, values };
}

function mapOf({ width, height, maps, values }: Field, c: number) {
  const real = Float64Array.from({ length: width * height }, (_, p) => values[p * maps + c]);
  return { width, height, real };
}

/** Overwrites ŷ with x̂; what is found at ω is, conjugate, what there is at −ω. */
function solveFrequencies(
  convolution: Convolution,
  spectra: readonly ComplexArray2d[],
  { width, height }: { readonly width: number; readonly height: number },
): void {
  const spectrum = new ConvolutionSpectrum(convolution, { width, height });
  const elimination = new ComplexElimination(convolution.maps);
  const vector = complexArray(convolution.maps);
  for (const frequency of halfGrid({ width, height })) {
    const { u, v } = frequency;
    if (elimination.factor(spectrum.at(frequency)) === -Infinity) {
      throw new GaussianizeError(
        `Expected the convolution to be invertible on ${width}×${height} locations but it loses the frequency (${u}, ${v}).`,
      );
    }
    const at = v * width + u;
    const opposite = wrapped(-v, height) * width + wrapped(-u, width);
    spectra.forEach(({ real, imaginary }, c) => {
      vector.real[c] = real[at];
      vector.imaginary[c] = imaginary[at];
    });
    elimination.solve(vector);
    spectra.forEach(({ real, imaginary }, c) => {
      real[opposite] = vector.real[c];
      imaginary[opposite] = -vector.imaginary[c];
      real[at] = vector.real[c];
      imaginary[at] = vector.imaginary[c];
    });
  }
}
