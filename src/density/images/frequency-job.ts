/**
 * What is done at each frequency of a convolution, as a job for workers: a run of frequencies is
 * one task.
 */
import type { ComplexArray } from "../../fourier/complex-array.js";
import type { Job } from "../../parallel/job.js";
import type { Convolution } from "../../transforms/convolution.js";
import type { Frequency } from "../../transforms/convolutions/frequencies.js";
import { ConvolutionSolver, rowOf } from "../../transforms/convolutions/inverse.js";
import type { GridSize } from "../../transforms/field.js";

export interface FrequencyShared {
  readonly convolution: Convolution;
  readonly grid: GridSize;
}

export interface FrequencyTask {
  readonly frequencies: readonly Frequency[];
  /**
   * ŷ, frequencies × C, where the convolution is to be inverted; null where log |det| is all that
   * is wanted.
   */
  readonly spectrum: ComplexArray | null;
}

export interface FrequencyResult {
  /** The part of these frequencies in log |det|. */
  readonly logDeterminant: number;
  /** x̂ */
  readonly spectrum: ComplexArray | null;
  /** The first frequency at which the convolution is singular. */
  readonly lost: Frequency | null;
}

export const frequencyJob: Job<FrequencyShared, FrequencyTask, FrequencyResult> = {
  name: "frequency",
  open() {
    let solver: ConvolutionSolver | undefined;
    let maps = 0;
    return {
      share({ convolution, grid }) {
        solver = new ConvolutionSolver(convolution, grid);
        maps = convolution.maps;
      },
      perform(task) {
        if (!solver) throw new Error("parameters come before tasks");
        const result = solveFrequencies(solver, task, maps);
        const parts = result.spectrum ? [result.spectrum.real, result.spectrum.imaginary] : [];
        return { result, transfer: parts.map(({ buffer }) => buffer as ArrayBuffer) };
      },
    };
  },
};

function solveFrequencies(
  solver: ConvolutionSolver,
  { frequencies, spectrum }: FrequencyTask,
  maps: number,
): FrequencyResult {
  let logDeterminant = 0;
  for (const [k, frequency] of frequencies.entries()) {
    const ofFrequency = solver.factor(frequency);
    if (ofFrequency === -Infinity) return { logDeterminant: -Infinity, spectrum, lost: frequency };
    logDeterminant += frequency.weight * ofFrequency;
    if (spectrum) solver.solve(rowOf(spectrum, k, maps));
  }
  return { logDeterminant, spectrum, lost: null };
}
