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
import { addTo } from "../../kernels/float-arrays.js";
import type { FloatArray, Kernels } from "../../kernels/kernels.js";
import { foldTree } from "../../kernels/reduction-tree.js";
import { referenceKernels } from "../../kernels/reference/index.js";
import { checkFields } from "../checks.js";
import { type Convolution, requireConvolution } from "../convolution.js";
import { type GridSize, requireGrid } from "../field.js";
import { type Frequency, type FrequencySample, frequenciesOf } from "./frequencies.js";
import { ConvolutionSpectrum } from "./spectrum.js";
import { type ComplexMatrix, spectraAt, tapSums } from "./spectrum-block.js";
import {
  type Estimate,
  SmallestSingularValue,
  type SpectrumSolver,
  spectrumSolver,
} from "./spectrum-solvers.js";

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
  readonly gradient: FloatArray;
}

/** Returns log |det| on fields of the given size. */
export function convolutionDeterminant(
  convolution: Convolution,
  grid: GridSize,
  options: DeterminantOptions = {},
): ConvolutionDeterminant {
  const { checked, frequencies } = checkedCall(convolution, grid, options);
  const sums = new DeterminantSums(checked.maps, options.kernels);
  const spectrum = new ConvolutionSpectrum(checked, grid);
  for (const frequency of frequencies) sums.add(spectrum.at(frequency), frequency.weight);
  return sums.result();
}

/** Returns log |det| and the gradient of −log |det|. */
export function convolutionDeterminantGradient(
  convolution: Convolution,
  grid: GridSize,
  options: DeterminantOptions = {},
): ConvolutionDeterminantGradient {
  const { checked, frequencies } = checkedCall(convolution, grid, options);
  const { kernels = referenceKernels } = options;
  return determinantGradientOver(kernels, checked, grid, frequencies);
}

/** Frequencies of a leaf of the tree (reduction-tree.ts) along which they are summed. */
export const frequenciesOfLeaf = 8;

/** Returns the contribution of some leaves of frequencies to both, for a checked convolution. */
export function determinantGradientOver(
  kernels: Kernels,
  convolution: Convolution,
  grid: GridSize,
  frequencies: readonly Frequency[],
): ConvolutionDeterminantGradient {
  const slots: ConvolutionDeterminantGradient[] = [];
  foldTree(
    Math.ceil(frequencies.length / frequenciesOfLeaf),
    (level, leaf) => {
      const first = leaf * frequenciesOfLeaf;
      const own = frequencies.slice(first, first + frequenciesOfLeaf);
      slots[level] = gradientOfLeaf(kernels, convolution, grid, own);
    },
    (target) => {
      slots[target] = addDeterminants(slots[target], slots[target + 1]);
    },
  );
  return slots[0];
}

/** Adds the contributions of two nodes of the tree; overwrites the gradient of the first. */
export function addDeterminants(
  left: ConvolutionDeterminantGradient,
  right: ConvolutionDeterminantGradient,
): ConvolutionDeterminantGradient {
  return {
    gradient: addTo(left.gradient, right.gradient),
    logDeterminant: left.logDeterminant + right.logDeterminant,
    smallestSingularValue: Math.min(left.smallestSingularValue, right.smallestSingularValue),
  };
}

function gradientOfLeaf(
  kernels: Kernels,
  convolution: Convolution,
  grid: GridSize,
  frequencies: readonly Frequency[],
): ConvolutionDeterminantGradient {
  const sums = new DeterminantSums(convolution.maps, kernels);
  const spectra = spectraAt(kernels, convolution, grid, frequencies);
  const terms = frequencies.map(({ additionalWeight = 0, ...at }, k) => {
    const matrix = spectra.each[k];
    const inverse = sums.add(matrix, at.weight)?.transposedInverse();
    // The inverse takes the place of its matrix; without one, the sums are NaN.
    for (const part of ["real", "imaginary"] as const) {
      if (inverse) matrix[part].set(inverse[part]);
      else matrix[part].fill(NaN);
    }
    return { ...at, weight: -(at.weight + additionalWeight) };
  });
  return { ...sums.result(), gradient: tapSums(kernels, convolution, grid, terms, spectra) };
}

function checkedCall(given: Convolution, grid: GridSize, options: DeterminantOptions) {
  const checked = requireConvolution(given);
  requireGrid(grid, "the grid");
  checkFields("the options", options, ["frequencies", "kernels"]);
  return { checked, frequencies: frequenciesOf(grid, options.frequencies) };
}

/** Sums log-determinants over frequencies. */
class DeterminantSums {
  /** −∞ once a frequency is lost. */
  private logDeterminant = 0;
  /** Solver of the frequency with the smallest estimated singular value, and the estimate. */
  private worst: { readonly solver: SpectrumSolver; readonly estimate: Estimate } | null = null;
  private isLost = false;
  private readonly solvers: SpectrumSolver[];
  private readonly singularValues: SmallestSingularValue;

  constructor(maps: number, kernels?: Kernels) {
    // While one holds the worst frequency so far, the other factors the next.
    this.solvers = [spectrumSolver(maps, kernels), spectrumSolver(maps, kernels)];
    this.singularValues = new SmallestSingularValue(maps);
  }

  /**
   * Adds the matrix of a frequency; returns its solver, which is valid until the next call, or null
   * if the frequency is lost.
   */
  add(matrix: ComplexMatrix, weight: number): SpectrumSolver | null {
    const [solver, other] = this.solvers;
    const logDeterminant = solver.factor(matrix);
    // 0 times the −∞ of a lost frequency would be NaN.
    if (weight > 0) this.logDeterminant += weight * logDeterminant;
    if (logDeterminant === -Infinity) {
      this.isLost = true;
      return null;
    }
    const estimate = this.singularValues.coarse(solver);
    if (estimate.value < (this.worst?.estimate.value ?? Infinity)) {
      this.worst = { solver, estimate };
      this.solvers.splice(0, 2, other, solver);
    }
    return solver;
  }

  result(): ConvolutionDeterminant {
    const { logDeterminant, worst, isLost, singularValues } = this;
    if (isLost || !worst) return { logDeterminant, smallestSingularValue: 0 };
    const smallestSingularValue = singularValues.fine(worst.solver, worst.estimate);
    return { logDeterminant, smallestSingularValue };
  }
}
