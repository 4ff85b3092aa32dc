/**
 * The gradient of the log-determinant of a convolution, as a job for workers: a run of frequencies
 * is one task.
 */
import type { Job } from "../../parallel/job.js";
import {
  type ConvolutionDeterminantGradient,
  determinantGradientOver,
} from "../../transforms/convolutions/determinant.js";
import type { Frequency } from "../../transforms/convolutions/frequencies.js";
import type { FrequencyShared } from "./frequency-job.js";

export interface DeterminantTask {
  readonly frequencies: readonly Frequency[];
}

export const determinantJob: Job<FrequencyShared, DeterminantTask, ConvolutionDeterminantGradient> =
  {
    name: "determinant",
    open(kernels) {
      let shared: FrequencyShared | undefined;
      return {
        share(given) {
          shared = given;
        },
        perform({ frequencies }) {
          if (!shared) throw new Error("parameters come before tasks");
          const { convolution, grid } = shared;
          const result = determinantGradientOver(convolution, grid, frequencies, kernels);
          return { result, transfer: [result.gradient.buffer as ArrayBuffer] };
        },
      };
    },
  };
