/**
 * The pure functions of densities: each takes a runner and a plain record.
 *
 * `import { … } from "gaussianize/density"`
 *
 * @module gaussianize/density
 */
export type { BatchOptions } from "../density/batch-passes.js";
export type {
  ComponentVerification,
  MixtureVerification,
} from "../density/mixtures/verify-mixture.js";
export { betweenDraws } from "../density/between-draws.js";
export { type DensityRecord, densityOf } from "../density/density-of.js";
export type {
  Density,
  DensitySampleOptions,
  DensityVerifyOptions,
  Images,
  Samples,
  SynthesizedWhole,
} from "../density/density.js";
export {
  type ImageGradientOptions,
  type ImageGradients,
  imageGradients,
} from "../density/images/image-gradients.js";
export { imageResponses } from "../density/images/image-responses.js";
export {
  type Backpropagated,
  type Gaussianized,
  type Scored,
  backpropagate,
  gaussianize,
  logProb,
  score,
} from "../density/induced-density.js";
export type { JsonObject, JsonValue } from "../density/model-files/json.js";
export { modelArrays } from "../density/model-files/model-arrays.js";
export { decodeModel, encodeModel } from "../density/model-files/model-file.js";
export { readingOf } from "../density/model-files/model-reading.js";
export { type NpyArray, encodeNpz } from "../density/model-files/npz.js";
export {
  type NormalOptions,
  type SampleOptions,
  type SynthesisOptions,
  type Synthesized,
  sample,
  synthesize,
} from "../density/synthesis.js";
export type { DeterminantCheck } from "../density/verification/jacobian-of-image.js";
export type { Extreme, Observation } from "../density/verification/job.js";
export {
  type StageVerification,
  type Verification,
  verify,
} from "../density/verification/verify.js";
export type { GaussianizedImage, ImageOptions } from "../density/images/image-density.js";
export type {
  AnyModel,
  ImageModel,
  MixtureModel,
  Model,
  ModelAbout,
  PatchAbout,
  PatchModel,
} from "../density/model-files/model.js";
export type {
  ConvolutionVerification,
  ImageVerification,
  RoundTrip,
} from "../density/verification/verify-image-cascade.js";
