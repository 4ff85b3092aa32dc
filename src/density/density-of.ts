/** Makes a density of a model of patches or of whole images. */
import { checkFields, expected } from "../errors.js";
import type { FloatArray } from "../kernels/kernels.js";
import type { TaskRunner } from "../parallel/job.js";
import { requireChecked } from "../transforms/checked-transform.js";
import type { Unchecked } from "../transforms/checks.js";
import type { AnyTransform } from "../transforms/image-cascade.js";
import type { Transform } from "../transforms/transform.js";
import { type BatchOptions, checkRunner } from "./batch-passes.js";
import { valuesOf, withoutSize } from "./density-input.js";
import type { Density, DensitySampleOptions, DensityVerifyOptions, Samples } from "./density.js";
import { ImageDensity } from "./images/density-of-images.js";
import { type Gaussianized, gaussianize, logProb, score } from "./induced-density.js";
import type { AnyMixture } from "./mixtures/mixture.js";
import { MixtureDensity } from "./mixtures/mixture-density.js";
import {
  type AnyModel,
  type Model,
  type ModelAbout,
  isImageModel,
  isMixtureModel,
  notAMixture,
} from "./model-files/model.js";
import { type SynthesisOptions, type Synthesized, sample, synthesize } from "./synthesis.js";
import { type Verification, verify } from "./verification/verify.js";

/**
 * A model, a transform or a mixture; it is checked if it is a copy of the one that a constructor
 * returned.
 */
export type DensityRecord =
  | Unchecked<AnyTransform | AnyMixture>
  | { readonly transform: Unchecked<AnyTransform | AnyMixture>; readonly about: ModelAbout };

/**
 * Returns the density of a model, a transform or a mixture. A function that opens a runner is
 * called when the density first computes.
 *
 * @example
 * ```js
 * import { InlineRunner, affine, densityOf, loadKernels } from "gaussianize";
 *
 * const runner = new InlineRunner((await loadKernels()).kernels);
 * const density = densityOf(affine({ dimension: 1, scale: [2] }), runner);
 * console.log(await density.logProb([[0.5], [1]]));
 * ```
 */
export function densityOf(
  given: DensityRecord,
  runner: TaskRunner | (() => Promise<TaskRunner>),
): Density {
  if (typeof runner !== "function") checkRunner(runner, "the runner");
  const open = typeof runner === "function" ? runner : () => Promise.resolve(runner);
  const model = modelOf(given);
  // All classes check the kind of their input, so the type of a result follows from it.
  return classOf(model, open) as unknown as Density;
}

function classOf(
  model: AnyModel,
  open: () => Promise<TaskRunner>,
): ImageDensity | MixtureDensity | PatchDensity {
  // A record that is not one of these fails in `requireChecked`.
  if (isImageModel(model)) return new ImageDensity(model, open);
  return isMixtureModel(model) ? new MixtureDensity(model, open) : new PatchDensity(model, open);
}

/** Returns a model whose transform is not checked yet. */
function modelOf(given: DensityRecord): AnyModel {
  if (typeof given !== "object" || (given as object | null) === null) {
    throw expected("the model", "be a model or a transform", given);
  }
  if ("kind" in given) return { transform: given, about: {} } as AnyModel;
  checkFields("a model", given, ["transform", "about"]);
  return given as AnyModel;
}

/** A density of patches, or of any vectors of numbers. */
class PatchDensity {
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

  responsibilities(): Promise<never> {
    return Promise.reject(notAMixture());
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
    const { seed = 1, ...others } = withoutSize(options);
    return sample(await this.runner(), this.transform, count, seed, others);
  }

  async verify(
    x: Samples | null = null,
    options: DensityVerifyOptions = {},
  ): Promise<Verification> {
    const values = x && valuesOf(x, this.dimension);
    checkFields("the options", options, ["signal", "onProgress", "grid", "locations"]);
    const { signal, onProgress } = options;
    return verify(await this.runner(), this.transform, values, { signal, onProgress });
  }
}
