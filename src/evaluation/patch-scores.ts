/**
 * log p and ΔJ of samples, from one pass through a model. With x' the output of the stages that the
 * model file declares as preprocessing (x itself if there are none):
 *
 *   log p(x) = −½‖y‖² − (N/2) log 2π + log |det ∂y/∂x'| + log |det ∂x'/∂x|     paper eq. (1)
 *   ΔJ       = ½‖y‖² − log |det ∂y/∂x'| − ½‖x'‖²                               paper eq. (4)
 */
import { type BatchOptions, runBatch } from "../density/batch-passes.js";
import { logProbOf, requireCommonParts } from "../density/induced-density.js";
import type { Model } from "../density/model-files/model.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import { cascade, stagesOf } from "../transforms/cascade.js";
import { checkSamples } from "../transforms/checks.js";
import { requireChecked } from "../transforms/checked-transform.js";
import type { Stage, Transform } from "../transforms/transform.js";
import { preprocessingStagesOf } from "./evaluation.js";

/** Scores of each sample in nats; NaN for a sample without a density. */
export interface PatchScores {
  readonly logProb: Float64Array;
  readonly negentropyDifference: Float64Array;
}

/** Scores samples under a model of patches. */
export interface Scorer {
  /** Number of preprocessing stages: ΔJ is relative to their output. */
  readonly preprocessingStages: number;
  /** Scores samples x, count×N; `onProgress` receives the number of samples done. */
  score(x: FloatArray, options?: BatchOptions): Promise<PatchScores>;
}

export class PatchScorer implements Scorer {
  readonly preprocessingStages: number;
  private readonly dimension: number;
  private readonly preprocessing: Part;
  private readonly rest: Part;

  constructor(runner: TaskRunner, model: Model) {
    const transform = requireChecked(model.transform);
    const stages = stagesOf(transform);
    // Only a cascade has stages that can be a preprocessing of the others.
    const count = transform.kind === "cascade" ? preprocessingStagesOf(model, stages.length) : 0;
    this.preprocessingStages = count;
    this.dimension = transform.dimension;
    this.preprocessing = new Part(runner, stages.slice(0, count), this.dimension);
    this.rest = new Part(runner, stages.slice(count), this.dimension);
  }

  async score(x: FloatArray, { signal, onProgress }: BatchOptions = {}): Promise<PatchScores> {
    const n = this.dimension;
    checkSamples(x, n);
    const stopping = signal ? { signal } : {};
    const before = await this.preprocessing.pass(x, true, stopping);
    const after = await this.rest.pass(before.y, false, {
      ...stopping,
      ...(onProgress ? { onProgress } : {}),
    });
    const halfSquare = halfSquares(before.y, n);
    const logProb = new Float64Array(halfSquare.length);
    const negentropyDifference = new Float64Array(halfSquare.length);
    for (let s = 0; s < halfSquare.length; s++) {
      const logDeterminant = before.logDeterminant[s] + after.logDeterminant[s];
      const value = logProbOf(after.energy[s], logDeterminant, n);
      // A value beyond the range of numbers would make every mean infinite.
      const fails = before.fails(s) || after.fails(s) || !Number.isFinite(value);
      logProb[s] = fails ? NaN : value;
      negentropyDifference[s] = fails
        ? NaN
        : after.energy[s] - after.logDeterminant[s] - halfSquare[s];
    }
    return { logProb, negentropyDifference };
  }
}

interface Passed {
  readonly y: FloatArray;
  /** ½‖y‖² */
  readonly energy: Float64Array;
  readonly logDeterminant: Float64Array;
  readonly fails: (sample: number) => boolean;
}

/** Consecutive stages of a model; an empty list is the identity. */
export class Part {
  private readonly transform: Transform | null;
  /** The part of log |det| that is the same for all samples. */
  private readonly ofAll: number;

  constructor(
    private readonly runner: TaskRunner,
    stages: readonly Stage[],
    private readonly dimension: number,
  ) {
    this.transform = stages.length > 0 ? cascade(stages) : null;
    this.ofAll = this.transform
      ? requireCommonParts(runner.kernels, this.transform).logDeterminant
      : 0;
  }

  async pass(x: FloatArray, wantsY: boolean, options: BatchOptions): Promise<Passed> {
    if (!this.transform) {
      const energy = halfSquares(x, this.dimension);
      const logDeterminant = new Float64Array(energy.length);
      return { y: x, energy, logDeterminant, fails: () => false };
    }
    const request = { pass: "gaussianize", x, wantsY } as const;
    const batch = await runBatch(this.runner, this.transform, request, options);
    const [energy, logDeterminant] = [batch.energy, batch.logDeterminant] as Float64Array[];
    const failedStage = batch.failedStage as Int32Array;
    return {
      y: batch.y ?? x,
      energy,
      logDeterminant: logDeterminant.map((value) => value + this.ofAll),
      fails: (sample) => failedStage[sample] >= 0,
    };
  }
}

/** Returns ½‖x‖² of each sample. */
export function halfSquares(x: FloatArray, n: number): Float64Array {
  return Float64Array.from({ length: x.length / n }, (_, s) => {
    let sum = 0;
    for (let k = s * n; k < (s + 1) * n; k++) sum += x[k] * x[k];
    return sum / 2;
  });
}
