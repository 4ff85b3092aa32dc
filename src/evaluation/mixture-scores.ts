/**
 * log p and ΔJ of samples under a mixture. A mixture has no y, so ΔJ comes from log p: in paper eq.
 * (4), ½‖y‖² − log |det ∂y/∂x| is −log p(x) − (N/2) log 2π by eq. (1), hence
 *
 *   ΔJ = −log p(x) − (N/2) log 2π − ½‖x‖²
 *
 * For a mixture of one transform this is the ΔJ of the transform. It is relative to the data
 * themselves: components have no preprocessing stages in common.
 */
import type { BatchOptions } from "../density/batch-passes.js";
import { logProbOf } from "../density/induced-density.js";
import { mixtureLogProbOrNaN } from "../density/mixtures/mixture-passes.js";
import { type AnyMixture, requireMixture } from "../density/mixtures/mixture.js";
import {
  type MixtureModel,
  type PatchModel,
  isMixtureModel,
} from "../density/model-files/model.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import { checkSamples } from "../transforms/checks.js";
import { PatchScorer, type PatchScores, type Scorer, halfSquares } from "./patch-scores.js";

/** Returns the scorer of a transform or of a mixture. */
export function scorerOf(runner: TaskRunner, model: PatchModel): Scorer {
  return isMixtureModel(model) ? new MixtureScorer(runner, model) : new PatchScorer(runner, model);
}

class MixtureScorer implements Scorer {
  readonly preprocessingStages = 0;
  private readonly mixture: AnyMixture;

  constructor(
    private readonly runner: TaskRunner,
    model: MixtureModel,
  ) {
    this.mixture = requireMixture(model.transform);
  }

  async score(x: FloatArray, options: BatchOptions = {}): Promise<PatchScores> {
    const n = this.mixture.dimension;
    checkSamples(x, n);
    const logProb = await mixtureLogProbOrNaN(this.runner, this.mixture, x, options);
    const ofZero = logProbOf(0, 0, n);
    const negentropyDifference = halfSquares(x, n).map(
      (halfSquare, s) => ofZero - logProb[s] - halfSquare,
    );
    return { logProb, negentropyDifference };
  }
}
