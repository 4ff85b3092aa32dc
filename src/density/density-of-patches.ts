/** The verbs of a density for models of patches, or of any vectors of numbers. */
import { GaussianizeError, checkFields } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import { requireChecked } from "../transforms/checked-transform.js";
import type { Transform } from "../transforms/transform.js";
import type { BatchOptions } from "./batch-passes.js";
import { valuesOf } from "./density-input.js";
import type { DensitySampleOptions, DensityVerifyOptions, Samples } from "./density.js";
import { type Gaussianized, gaussianize, logProb, score } from "./induced-density.js";
import type { Model } from "./model-files/model.js";
import { type SynthesisOptions, type Synthesized, sample, synthesize } from "./synthesis.js";
import { type Verification, verify } from "./verification/verify.js";

export class PatchDensity {
  readonly kind = "patches";
  readonly model: Model;
  readonly dimension: number;
  private readonly transform: Transform;

  constructor(
    { transform, about }: Model,
    readonly runner: () => Promise<TaskRunner>,
  ) {
    this.transform = requireChecked(transform);
    this.model = { transform: this.transform, about };
    this.dimension = this.transform.dimension;
  }

  async logProb(x: Samples, options?: BatchOptions): Promise<Float64Array> {
    const values = valuesOf(x, this.dimension);
    return logProb(await this.runner(), this.transform, values, options);
  }

  async score(x: Samples, options?: BatchOptions): Promise<FloatArray> {
    const values = valuesOf(x, this.dimension);
    return (await score(await this.runner(), this.transform, values, options)).score;
  }

  async gaussianize(x: Samples, options?: BatchOptions): Promise<Gaussianized> {
    const values = valuesOf(x, this.dimension);
    return gaussianize(await this.runner(), this.transform, values, options);
  }

  async synthesize(y: Samples, options?: SynthesisOptions): Promise<Synthesized> {
    const values = valuesOf(y, this.dimension, "y");
    return synthesize(await this.runner(), this.transform, values, options);
  }

  async sample(count: number, options: DensitySampleOptions = {}): Promise<FloatArray> {
    const { seed = 1, size, ...others } = options;
    if (size !== undefined) {
      throw new GaussianizeError(
        "invalid-argument",
        "The option size is for models of whole images only.",
      );
    }
    return sample(await this.runner(), this.transform, count, seed, others);
  }

  async verify(
    x: Samples | null = null,
    options: DensityVerifyOptions = {},
  ): Promise<Verification> {
    const values = x && valuesOf(x, this.dimension);
    checkFields("the options", options, ["signal", "onProgress", "grid", "locations"]);
    const { signal, onProgress } = options;
    const watch = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
    return verify(await this.runner(), this.transform, values, watch);
  }
}
