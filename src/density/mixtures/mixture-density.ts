/** The density of a mixture, with the methods of every density. */
import { checkFields } from "../../errors.js";
import type { FloatArray } from "../../kernels/kernels.js";
import type { TaskRunner } from "../../parallel/job.js";
import type { BatchOptions } from "../batch-passes.js";
import { valuesOf, withoutSize } from "../density-input.js";
import type { DensitySampleOptions, DensityVerifyOptions, Samples } from "../density.js";
import { type MixtureModel, noSingleTransform } from "../model-files/model.js";
import { type AnyMixture, requireMixture } from "./mixture.js";
import { mixtureLogProb, mixtureResponsibilities, mixtureScore } from "./mixture-passes.js";
import { sampleMixture } from "./sample-mixture.js";
import { type MixtureVerification, verifyMixture } from "./verify-mixture.js";

export class MixtureDensity {
  readonly kind = "patches";
  readonly model: MixtureModel;
  readonly dimension: number;
  private readonly mixture: AnyMixture;

  constructor(
    { transform, about }: MixtureModel,
    readonly runner: () => Promise<TaskRunner>,
  ) {
    this.mixture = requireMixture(transform);
    this.model = { transform: this.mixture, about };
    this.dimension = this.mixture.dimension;
  }

  async logProb(x: Samples, options?: BatchOptions): Promise<Float64Array> {
    const values = valuesOf(x, this.dimension);
    return mixtureLogProb(await this.runner(), this.mixture, values, options);
  }

  async score(x: Samples, options?: BatchOptions): Promise<FloatArray> {
    const values = valuesOf(x, this.dimension);
    return (await mixtureScore(await this.runner(), this.mixture, values, options)).score;
  }

  async responsibilities(x: Samples, options?: BatchOptions): Promise<Float64Array> {
    const values = valuesOf(x, this.dimension);
    return mixtureResponsibilities(await this.runner(), this.mixture, values, options);
  }

  gaussianize(): Promise<never> {
    return Promise.reject(noSingleTransform("gaussianize() needs one"));
  }

  synthesize(): Promise<never> {
    return Promise.reject(noSingleTransform("synthesize() needs one"));
  }

  async sample(count: number, options: DensitySampleOptions = {}): Promise<FloatArray> {
    const { seed = 1, ...others } = withoutSize(options);
    return sampleMixture(await this.runner(), this.mixture, count, seed, others);
  }

  async verify(
    x: Samples | null = null,
    options: DensityVerifyOptions = {},
  ): Promise<MixtureVerification> {
    const values = x && valuesOf(x, this.dimension);
    checkFields("the options", options, ["signal", "onProgress", "grid", "locations"]);
    const { signal, onProgress } = options;
    return verifyMixture(await this.runner(), this.mixture, values, { signal, onProgress });
  }
}
