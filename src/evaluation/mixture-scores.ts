/**
 * log p and ΔJ of samples under a mixture. A mixture has no y, so ΔJ comes from log p. With x' the
 * output of the stages of the first component that the model file declares as preprocessing (x
 * itself if there are none), eq. (1) says ½‖y‖² − log |det ∂y/∂x'| = −log p(x') − (N/2) log 2π.
 * Paper eq. (4) becomes
 *
 *   ΔJ = −log p(x) + log |det ∂x'/∂x| − (N/2) log 2π − ½‖x'‖²
 *
 * For a mixture of one transform this is the ΔJ of the transform.
 */
import type { BatchOptions } from "../density/batch-passes.js";
import { logProbOf } from "../density/induced-density.js";
import { transformsOf } from "../density/mixtures/leaves.js";
import { mixtureLogProbOrNaN } from "../density/mixtures/mixture-passes.js";
import { type AnyMixture, requireMixture } from "../density/mixtures/mixture.js";
import {
  type MixtureModel,
  type PatchModel,
  isMixtureModel,
} from "../density/model-files/model.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import { stagesOf } from "../transforms/cascade.js";
import { checkSamples } from "../transforms/checks.js";
import { preprocessingStagesOf } from "./evaluation.js";
import { Part, PatchScorer, type PatchScores, type Scorer, halfSquares } from "./patch-scores.js";

/** Returns the scorer of a transform or of a mixture. */
export function scorerOf(runner: TaskRunner, model: PatchModel): Scorer {
  return isMixtureModel(model) ? new MixtureScorer(runner, model) : new PatchScorer(runner, model);
}

class MixtureScorer implements Scorer {
  readonly preprocessingStages: number;
  private readonly mixture: AnyMixture;
  private readonly preprocessing: Part;

  constructor(
    private readonly runner: TaskRunner,
    model: MixtureModel,
  ) {
    this.mixture = requireMixture(model.transform);
    const [{ transform }] = transformsOf(this.mixture);
    const stages = stagesOf(transform);
    const isCascade = transform.kind === "cascade";
    const count = isCascade ? preprocessingStagesOf(model, stages.length) : 0;
    this.preprocessingStages = count;
    this.preprocessing = new Part(runner, stages.slice(0, count), this.mixture.dimension);
  }

  async score(x: FloatArray, options: BatchOptions = {}): Promise<PatchScores> {
    const n = this.mixture.dimension;
    checkSamples(x, n);
    const { signal } = options;
    const before = await this.preprocessing.pass(x, true, signal ? { signal } : {});
    const found = await mixtureLogProbOrNaN(this.runner, this.mixture, x, options);
    // Outside the domain of the preprocessing, ΔJ does not exist.
    const logProb = found.map((value, s) => (before.fails(s) ? NaN : value));
    const halfSquare = halfSquares(before.y, n);
    const ofZero = logProbOf(0, 0, n);
    const negentropyDifference = logProb.map(
      (value, s) => ofZero - (value - before.logDeterminant[s]) - halfSquare[s],
    );
    return { logProb, negentropyDifference };
  }
}
