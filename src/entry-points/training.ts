/**
 * Fits of densities with all their options.
 *
 * `import { … } from "gaussianize/training"`
 *
 * @module gaussianize/training
 */
export {
  type CascadeGeometry,
  type CascadePreset,
  type SecondNormalization,
  cascadePresets,
} from "../training/cascade-geometry.js";
export {
  type CheckpointDescription,
  decodeCheckpoint,
  encodeCheckpoint,
} from "../training/checkpoint-file.js";
export {
  type DenoiserFit,
  type DenoiserFitOptions,
  fitDenoiser,
} from "../training/fit-denoiser.js";
export {
  type ImageModelFit,
  type ImageModelFitOptions,
  fitImageModel,
} from "../training/fit-image-model.js";
export { type ModelFit, type ModelFitOptions, fitModel } from "../training/fit-model.js";
export { type FitProblem, problemText } from "../training/fit-problem.js";
export {
  type SampleFitOptions,
  type SampleFitSnapshot,
  type SampleRows,
  fitSamples,
} from "../training/fit-samples.js";
export type { FitDefaults } from "../training/fit-defaults.js";
export type { FitOrigin, FitProgress, CommonFitOptions } from "../training/image-fit.js";
export {
  type Fit,
  type FitCheckpoint,
  type FitHistory,
  type FitOptions,
  fitTransform,
} from "../training/fit-transform.js";
export type { FitObjective, FitRecord, ObjectiveGradient } from "../training/fit-records.js";
export type { GroupRates } from "../training/group-rates.js";
export { type ImageSplit, splitImages } from "../training/held-out.js";
export {
  type GradientEstimate,
  type NegentropyGradient,
  negentropyGradient,
} from "../training/negentropy-gradient.js";
export { type BoundOptions, projectOntoBounds } from "../training/parameter-bounds.js";
export type { PreprocessingKind } from "../training/fit-options.js";
export type { GradientKind } from "../training/gradient-kind.js";
export type { OptimiserName } from "../training/optimisers.js";
