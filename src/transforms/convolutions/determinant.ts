/**
 * The log-determinant of a convolution as a map of whole fields. In the Fourier domain it has one
 * C×C block for each frequency:
 *
 *   log |det| = Σ_ω log |det F̂(ω)|
 *   ∂(−log |det|)/∂F_q = −Re Σ_ω e^(iω·q) F̂(ω)⁻ᵀ
 *
 *   symbol  variable            meaning
 *   ω       frequencies         of the w×h Fourier grid; ω and −ω add the same
 *   F̂       matrix              C×C, spectrum.ts
 *
 * With some of the frequencies instead of all, sums and gradient are unbiased estimates. Cost: an
 * elimination for each frequency, C³/3 complex products, and C³ for its part of the gradient.
 */
import type { Kernels } from "../../kernels/kernels.js";
import { checkFields } from "../checks.js";
import { type Convolution, requireConvolution } from "../convolution.js";
import { type GridSize, requireGrid } from "../field.js";
import { type Frequency, type FrequencySample, frequenciesOf } from "./frequencies.js";
import { SmallestSingularValue } from "./smallest-singular-value.js";
import { ConvolutionSpectrum, SpectrumSums } from "./spectrum.js";
import { type SpectrumSolver, spectrumSolver } from "./spectrum-solvers.js";

export interface DeterminantOptions {
  /** Left out: all frequencies, the exact sum. */
  readonly frequencies?: FrequencySample;
  /**
   * Left out: Float64. Float32 kernels take about half the time for gradients, where that is
   * enough.
   */
  readonly kernels?: Kernels;
}

export interface ConvolutionDeterminant {
  /** log |det ∂y/∂x| of whole fields, −∞ where a frequency is lost. */
  readonly logDeterminant: number;
  /**
   * Over the frequencies looked at, to a few hundredths: at 0 the convolution cannot be inverted.
   */
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
  const { checked, frequencies } = checkedCall(convolution, grid, options);
  const sums = new DeterminantSums(checked, grid, options.kernels);
  for (const frequency of frequencies) sums.add(frequency);
  return sums.result();
}

/**
 * The same with the gradient of −log |det|, the part of the negative log-probability that is not
 * the energy.
 */
export function convolutionDeterminantGradient(
  convolution: Convolution,
  grid: GridSize,
  options: DeterminantOptions = {},
): ConvolutionDeterminantGradient {
  const { checked, frequencies } = checkedCall(convolution, grid, options);
  return determinantGradientOver(checked, grid, frequencies, options.kernels);
}

/** The part that some frequencies have in both, for a checked convolution. */
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

/** Log-determinants added up frequency by frequency, for a checked convolution. */
class DeterminantSums {
  readonly solver: SpectrumSolver;
  /** −∞ once a frequency is lost. */
  logDeterminant = 0;
  /** Where the smallest singular value seems to be. */
  worst: WorstFrequency = { estimate: Infinity, at: { u: 0, v: 0, weight: 1 } };
  private readonly spectrum: ConvolutionSpectrum;
  private readonly singularValues: SmallestSingularValue;

  constructor(convolution: Convolution, grid: GridSize, kernels?: Kernels) {
    this.solver = spectrumSolver(convolution.maps, kernels);
    this.spectrum = new ConvolutionSpectrum(convolution, grid);
    this.singularValues = new SmallestSingularValue(convolution.maps);
  }

  /** False where the frequency is lost; otherwise the solver then has its matrix. */
  add(frequency: Frequency): boolean {
    const ofFrequency = this.solver.factor(this.spectrum.at(frequency));
    this.logDeterminant += frequency.weight * ofFrequency;
    const isLost = ofFrequency === -Infinity;
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

interface WorstFrequency {
  readonly estimate: number;
  readonly at: Frequency;
}
