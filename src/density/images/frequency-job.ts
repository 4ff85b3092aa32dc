/** Jobs for workers that process a range of frequencies of a convolution. */
import type { ComplexArray } from "../../fourier/complex-array.js";
import { type Job, jobOf } from "../../parallel/job.js";
import type { Convolution } from "../../transforms/convolution.js";
import {
  type ConvolutionDeterminantGradient,
  determinantGradientOver,
} from "../../transforms/convolutions/determinant.js";
import type { Frequency } from "../../transforms/convolutions/frequencies.js";
import { ConvolutionSolver, rowOf } from "../../transforms/convolutions/inverse.js";
import type { GridSize } from "../../transforms/field.js";

interface FrequencyShared {
  readonly convolution: Convolution;
  readonly grid: GridSize;
}

export interface FrequencyTask {
  readonly frequencies: readonly Frequency[];
  /** ŷ to invert, frequencies × C; null to compute only log |det|. */
  readonly spectrum: ComplexArray | null;
}

export interface FrequencyResult {
  /** Contribution of these frequencies to log |det|. */
  readonly logDeterminant: number;
  /** x̂ */
  readonly spectrum: ComplexArray | null;
  /** First frequency at which the convolution is singular. */
  readonly lost: Frequency | null;
}

/** Computes log |det|, and inverts the convolution. */
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

type DeterminantTask = Pick<FrequencyTask, "frequencies">;

/** Computes the gradient of log |det|. */
export const determinantJob: Job<FrequencyShared, DeterminantTask, ConvolutionDeterminantGradient> =
  jobOf("determinant", (kernels, { convolution, grid }, { frequencies }) => {
    const result = determinantGradientOver(kernels, convolution, grid, frequencies);
    return { result, transfer: [result.gradient.buffer as ArrayBuffer] };
  });
