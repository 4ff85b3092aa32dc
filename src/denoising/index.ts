/** What is public of denoising: src/index.ts hands it on. */
export {
  type GreyDenoiser,
  type PictureChannels,
  channelNoiseLevels,
  denoiseChannels,
  overallNoiseLevel,
} from "./denoise-channels.js";
export {
  type DenoisedPicture,
  type PictureDenoisingOptions,
  denoisePicture,
} from "./denoise-picture.js";
export type { DenoisingStage, DenoisingWarning, DenoisingWatch } from "./denoising-watch.js";
export { type DenoisingOptions, denoiseImage } from "./empirical-bayes.js";
export {
  type ImageFitOptions,
  fitToNoisyImage,
  pixelsOfFitStep,
  usualFitSteps,
} from "./fit-to-image.js";
export {
  type GuidedDenoisingOptions,
  denoiseGuided,
  guideStride,
} from "./guided/denoise-guided.js";
export { type GuidedFitOptions, fitGuided } from "./guided/fit-guided.js";
export type { GuidedDensities, GuidedExpert } from "./guided/guided-density.js";
export {
  type GuidedFile,
  type GuidedFileOptions,
  decodeGuided,
  encodeGuided,
} from "./guided/guided-file.js";
export type { ClassBounds, ClassShares } from "./guided/patch-classes.js";
export {
  type NoiseEstimate,
  type NoiseLevelOptions,
  estimateNoise,
  estimateNoiseLevel,
} from "./noise-level.js";
export {
  type DenoiserSettings,
  type DenoisingMethod,
  denoisingMethods,
} from "./picture-denoiser.js";
export {
  type NoiseDoubt,
  type PictureNoise,
  greyLevels,
  withPictureNoise,
} from "./picture-noise.js";
export {
  type DenoisingPrior,
  type PriorFamily,
  type PriorShelf,
  keptShelf,
  nearestOf,
  priorsAmong,
} from "./prior-shelf.js";
export type { WaveletDenoisingOptions } from "./wavelet-domain.js";
export { type ScaleMixtureOptions, denoiseByScaleMixtures } from "./wavelet-gsm.js";
export { denoiseByMarginals } from "./wavelet-marginal.js";
export { type WienerOptions, denoiseByWiener } from "./wiener.js";
export { type WholeImageDenoisingOptions, denoiseWholeImage } from "./whole-image-denoising.js";
