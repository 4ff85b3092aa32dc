/**
 * The log-determinant of a convolution as a map of whole fields. In the Fourier domain it has one C×C block for each frequency:
 *
 *   log |det| = Σ_ω log |det F̂(ω)|
 *   ∂(−log |det|)/∂F_q = −Re Σ_ω e^(iω·q) F̂(ω)⁻ᵀ
 *
 *   symbol  variable            meaning
 *   ω       frequencies         of the w×h Fourier grid; ω and −ω add the same
 *   F̂       matrix              C×C, spectrum.ts
 *
 * With some of the frequencies instead of all, sums and gradient are unbiased estimates.
 * Cost: an elimination for each frequency, C³/3 complex products, and C³ for its part of the gradient.
 */
import type { Kernels } from "../../kernels/kernels.js";
import { checkFields } from "../checks.js";
import { type Convolution, requireConvolution } from "../convolution.js";
import { type GridSize, requireGrid } from "../field.js";
import { type Frequency, type FrequencySample, frequenciesOf } from "./frequencies.js";
import { SmallestSingularValue } from "./smallest-singular-value.js";
import { ConvolutionSpectrum, SpectrumSums } from "./spectrum.js";
import { spectrumSolver } from "./spectrum-solvers.js";

export interface DeterminantOptions {
  /** Left out: all frequencies, the exact sum. */
  readonly frequencies?: FrequencySample;
  /** Left out: Float64. Float32 kernels are many times faster, where that is enough. */
  readonly kernels?: Kernels;
}

export interface ConvolutionDeterminant {
  /** log |det ∂y/∂x| of whole fields, −∞ where a frequency is lost. */
  readonly logDeterminant: number;
  /** Over the frequencies looked at, to about a hundredth: at 0 the convolution cannot be inverted. */
  readonly smallestSingularValue: number;
}

export interface ConvolutionDeterminantGradient extends ConvolutionDeterminant {
  /** Of −log |det| by the weights, in their order; NaN where a frequency is lost. */
  readonly gradient: Float64Array;
}

/** log |det| on fields of the given size. */
export function convolutionDeterminant(
  convolution: Convolution,
  grid: GridSize,
  options: DeterminantOptions = {},
): ConvolutionDeterminant {
  return overFrequencies(convolution, grid, options, null);
}

/** The same with the gradient of −log |det|, the part of the negative log-probability that is not the energy. */
export function convolutionDeterminantGradient(
  given: Convolution,
  grid: GridSize,
  options: DeterminantOptions = {},
): ConvolutionDeterminantGradient {
  const convolution = requireConvolution(given);
  const sums = new SpectrumSums(convolution, grid);
  const found = overFrequencies(convolution, grid, options, sums);
  const gradient = sums.finish();
  const isLost = !Number.isFinite(found.logDeterminant);
  for (let k = 0; k < gradient.length; k++) gradient[k] = isLost ? NaN : -gradient[k];
  return { ...found, gradient };
}

function overFrequencies(
  given: Convolution,
  grid: GridSize,
  options: DeterminantOptions,
  sums: SpectrumSums | null,
): ConvolutionDeterminant {
  const convolution = requireConvolution(given);
  requireGrid(grid, "the grid");
  checkFields("the options", options, ["frequencies", "kernels"]);
  const spectrum = new ConvolutionSpectrum(convolution, grid);
  const solver = spectrumSolver(convolution.maps, options.kernels);
  const smallest = new SmallestSingularValue(convolution.maps);
  let logDeterminant = 0;
  let worst = { estimate: Infinity, at: { u: 0, v: 0, weight: 0 } as Frequency };
  for (const frequency of frequenciesOf(grid, options.frequencies)) {
    const ofFrequency = solver.factor(spectrum.at(frequency));
    if (ofFrequency === -Infinity) return { logDeterminant: -Infinity, smallestSingularValue: 0 };
    logDeterminant += frequency.weight * ofFrequency;
    sums?.add(frequency, solver.inverse());
    const estimate = smallest.coarse(solver);
    if (estimate < worst.estimate) worst = { estimate, at: frequency };
  }
  solver.factor(spectrum.at(worst.at));
  return { logDeterminant, smallestSingularValue: smallest.fine(solver) };
}
