/**
 * Log-determinant of a convolution of whole fields. In the Fourier domain it has one C×C block per
 * frequency:
 *
 *   log |det| = Σ_ω log |det F̂(ω)|
 *   ∂(−log |det|)/∂F_q = −Re Σ_ω e^(iω·q) F̂(ω)⁻ᵀ
 *
 *   symbol  variable            meaning
 *   ω       frequencies         w×h Fourier grid; ω and −ω contribute equally
 *   F̂       matrix              C×C, spectrum.ts
 *
 * With a sample of the frequencies, sums and gradient are unbiased estimates. Cost per frequency:
 * an elimination, C³/3 complex products, and C³ for the gradient.
 */
import type { Kernels } from "../../kernels/kernels.js";
import { checkFields } from "../checks.js";
import { type Convolution, requireConvolution } from "../convolution.js";
import { type GridSize, requireGrid } from "../field.js";
import { type Frequency, type FrequencySample, frequenciesOf } from "./frequencies.js";
import { ConvolutionSpectrum, SpectrumSums } from "./spectrum.js";
import { SmallestSingularValue, type SpectrumSolver, spectrumSolver } from "./spectrum-solvers.js";

export interface DeterminantOptions {
  /** Sample of the frequencies; default: all of them, the exact sum. */
  readonly frequencies?: FrequencySample;
  /** Default: Float64. Float32 kernels take about half the time for gradients. */
  readonly kernels?: Kernels;
}

export interface ConvolutionDeterminant {
  /** log |det ∂y/∂x| of whole fields; −∞ if a frequency is lost. */
  readonly logDeterminant: number;
  /** Minimum over the frequencies, to about 0.01; if it is 0, the convolution is not invertible. */
  readonly smallestSingularValue: number;
}

export interface ConvolutionDeterminantGradient extends ConvolutionDeterminant {
  /** Gradient of −log |det| by the weights; NaN if a frequency is lost. */
  readonly gradient: Float64Array;
}

/** Returns log |det| on fields of the given size. */
export function convolutionDeterminant(
  convolution: Convolution,
  grid: GridSize,
  options: DeterminantOptions = {},
): ConvolutionDeterminant {
  const { checked, frequencies } = checkedCall(convolution, grid, options);
  const sums = new DeterminantSums(checked, grid, options.kernels);
  for (const frequency of frequencies) sums.add(frequency);
  return sums.result();
}

/** Returns log |det| and the gradient of −log |det|. */
export function convolutionDeterminantGradient(
  convolution: Convolution,
  grid: GridSize,
  options: DeterminantOptions = {},
): ConvolutionDeterminantGradient {
  const { checked, frequencies } = checkedCall(convolution, grid, options);
  return determinantGradientOver(checked, grid, frequencies, options.kernels);
}

/** Returns the contribution of some frequencies to both, for a checked convolution. */
export function determinantGradientOver(
  convolution: Convolution,
  grid: GridSize,
  frequencies: readonly Frequency[],
  kernels?: Kernels,
): ConvolutionDeterminantGradient {
  const sums = new DeterminantSums(convolution, grid, kernels);
  const inverses = new SpectrumSums(convolution, grid);
  for (const frequency of frequencies) {
    if (sums.add(frequency)) inverses.add(frequency, sums.solver.inverse());
  }
  const found = sums.result();
  const gradient = inverses.finish();
  const isLost = !Number.isFinite(found.logDeterminant);
  for (let k = 0; k < gradient.length; k++) gradient[k] = isLost ? NaN : -gradient[k];
  return { ...found, gradient };
}

function checkedCall(given: Convolution, grid: GridSize, options: DeterminantOptions) {
  const checked = requireConvolution(given);
  requireGrid(grid, "the grid");
  checkFields("the options", options, ["frequencies", "kernels"]);
  return { checked, frequencies: frequenciesOf(grid, options.frequencies) };
}

/** Sums log-determinants over frequencies, for a checked convolution. */
class DeterminantSums {
  readonly solver: SpectrumSolver;
  /** −∞ once a frequency is lost. */
  logDeterminant = 0;
  /** Frequency with the smallest estimated singular value. */
  worst: { readonly estimate: number; readonly at: Frequency } = {
    estimate: Infinity,
    at: { u: 0, v: 0, weight: 1 },
  };
  private readonly spectrum: ConvolutionSpectrum;
  private readonly singularValues: SmallestSingularValue;

  constructor(convolution: Convolution, grid: GridSize, kernels?: Kernels) {
    this.solver = spectrumSolver(convolution.maps, kernels);
    this.spectrum = new ConvolutionSpectrum(convolution, grid);
    this.singularValues = new SmallestSingularValue(convolution.maps);
  }

  /** Loads the matrix of a frequency into the solver; returns false if the frequency is lost. */
  add(frequency: Frequency): boolean {
    const logDeterminant = this.solver.factor(this.spectrum.at(frequency));
    this.logDeterminant += frequency.weight * logDeterminant;
    const isLost = logDeterminant === -Infinity;
    const estimate = isLost ? 0 : this.singularValues.coarse(this.solver);
    if (estimate < this.worst.estimate) this.worst = { estimate, at: frequency };
    return !isLost;
  }

  result(): ConvolutionDeterminant {
    const { logDeterminant, worst, solver } = this;
    if (worst.estimate === 0) return { logDeterminant, smallestSingularValue: 0 };
    solver.factor(this.spectrum.at(worst.at));
    return { logDeterminant, smallestSingularValue: this.singularValues.fine(solver) };
  }
}
