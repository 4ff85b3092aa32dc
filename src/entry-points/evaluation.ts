/**
 * Likelihoods of images, filters and pools of fitted models, and picture quality.
 *
 * `import { … } from "gaussianize/evaluation"`
 *
 * @example
 * ```js
 * import { psnrInDecibels } from "gaussianize/evaluation";
 *
 * const image = { width: 2, height: 1, pixels: Float32Array.of(0.5, 0.5) };
 * const reference = { width: 2, height: 1, pixels: Float32Array.of(0.5, 0.6) };
 * console.log(psnrInDecibels(image, reference).toFixed(1)); // 23.0
 * ```
 *
 * @module gaussianize/evaluation
 */
export { evaluate } from "../evaluation/evaluate.js";
export type {
  Evaluation,
  EvaluationOptions,
  FileSizes,
  GreyCodes,
  ImageEvaluation,
  ImagePart,
  Likelihood,
  Scores,
  Totals,
} from "../evaluation/evaluation.js";
export { type FilterShape, filterShapes } from "../evaluation/filter-shapes.js";
export {
  type Gaussianity,
  componentGaussianity,
  lengthGaussianity,
} from "../evaluation/gaussianity.js";
export type { EvaluationImage, ImageSource } from "../evaluation/images-in-turn.js";
export {
  type LikelihoodMap,
  type LikelihoodMapOptions,
  likelihoodMap,
} from "../evaluation/likelihood-map.js";
export {
  type PairedDifference,
  type PairedValues,
  pairedDifference,
} from "../evaluation/paired-difference.js";
export { type PictureQuality, pictureQuality } from "../evaluation/picture-quality.js";
export {
  type FalloffCurve,
  type FalloffOptions,
  type PoolingFalloff,
  poolingFalloff,
} from "../evaluation/pooling-falloff.js";
export { modelContributions } from "../evaluation/pooling.js";
export { psnrInDecibels } from "../evaluation/picture-quality.js";
export { type SsimBorder, type SsimOptions, ssim } from "../evaluation/ssim.js";
