/**
 * Densities, their models and model files, for Node and browsers.
 *
 * `import { … } from "gaussianize"`
 *
 * Workers, files and fits are in `gaussianize/node` and `gaussianize/browser`; everything else is
 * in subpaths named after their subject, such as `gaussianize/wavelets`.
 *
 * @module gaussianize
 */
export type {
  Density,
  DensitySampleOptions,
  DensityVerifyOptions,
  Images,
  Samples,
  SynthesizedWhole,
} from "./density/density.js";
export { type DensityRecord, densityOf } from "./density/density-of.js";
export type { OpenDensity } from "./density/open-density.js";
export {
  type AnyMixture,
  type Mixture,
  type MixtureComponent,
  type MixtureInput,
  type SymmetricMixture,
  type SymmetricMixtureInput,
  mixture,
  symmetricMixture,
} from "./density/mixtures/mixture.js";
export type {
  ComponentVerification,
  MixtureVerification,
} from "./density/mixtures/verify-mixture.js";
export { decodeModel, encodeModel } from "./density/model-files/model-file.js";
export type {
  AnyModel,
  ImageModel,
  MixtureModel,
  Model,
  ModelAbout,
  PatchAbout,
  PatchModel,
} from "./density/model-files/model.js";
export { type ErrorCode, GaussianizeError } from "./errors.js";
export type { GreyImage, GreyPixels } from "./images/grey-image.js";
export type { FloatArray, KernelName, Kernels } from "./kernels/kernels.js";
export { type KernelOptions, type LoadedKernels, loadKernels } from "./kernels/load-kernels.js";
export { InlineRunner } from "./parallel/inline-runner.js";
export type {
  Job,
  JobInput,
  JobOutput,
  JobSession,
  RunOptions,
  TaskList,
  TaskRunner,
} from "./parallel/job.js";
export type { RunnerOptions } from "./parallel/open-runner.js";
export {
  type Purpose,
  type RandomState,
  type RandomStream,
  type Seed,
  createRandom,
} from "./random/random-stream.js";
export { type Affine, type AffineInput, affine } from "./transforms/affine.js";
export { cascade } from "./transforms/cascade.js";
export {
  type Convolution,
  type ConvolutionInput,
  type Taps,
  convolution,
} from "./transforms/convolution.js";
export type { Field, GridSize } from "./transforms/field.js";
export { type Gdn, type GdnInput, gdn } from "./transforms/gdn.js";
export type { GdnStructure } from "./transforms/gdn-structures.js";
export {
  type AnyTransform,
  type ImageCascade,
  type ImageCascadeInput,
  type ImageStage,
  imageCascade,
} from "./transforms/image-cascade.js";
export { type Linear, type LinearInput, linear } from "./transforms/linear.js";
export { type Pointwise, type PointwiseInput, pointwise } from "./transforms/pointwise.js";
export type { Cascade, ParameterGroups, Stage, Transform } from "./transforms/transform.js";
