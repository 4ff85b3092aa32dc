/**
 * Denoising with densities and with wavelets.
 *
 * `import { … } from "gaussianize/denoising"`
 *
 * @example
 * ```js
 * import { createRandom } from "gaussianize";
 * import { denoiseByWiener } from "gaussianize/denoising";
 * import { deadLeaves, withWhiteNoise } from "gaussianize/images";
 *
 * const random = createRandom(1);
 * const { pixels, ...size } = deadLeaves(random, { width: 64, height: 64 });
 * const noisy = { ...size, pixels: withWhiteNoise(pixels, 0.1, random) };
 * console.log((await denoiseByWiener(noisy, { sigma: 0.1 })).width); // 64
 * ```
 *
 * @module gaussianize/denoising
 */
export {
  type DenoisedPicture,
  type PictureDenoisingOptions,
  denoisePicture,
} from "../denoising/denoise-picture.js";
export { denoiseImage } from "../denoising/denoise-image.js";
export type { DenoisingOptions } from "../denoising/empirical-bayes.js";
export { type DenoisingPreset, denoisingPresets } from "../denoising/denoising-plan.js";
export { type ImageFitOptions, fitToNoisyImage } from "../denoising/fit-to-image.js";
export { type GuidedDenoisingOptions, denoiseGuided } from "../denoising/guided/denoise-guided.js";
export { type LastRoundOptions, denoiseLast } from "../denoising/guided/denoise-last.js";
export { type GuidedFitOptions, fitGuided } from "../denoising/guided/fit-guided.js";
export type { GuidedDensities, GuidedExpert } from "../denoising/guided/guided-density.js";
export {
  type GuidedFile,
  type GuidedFileOptions,
  decodeGuided,
  encodeGuided,
} from "../denoising/guided/guided-file.js";
export type { ClassBounds, ClassShares } from "../denoising/guided/patch-classes.js";
export {
  type NoiseEstimate,
  type NoiseLevelOptions,
  estimateNoise,
} from "../denoising/noise-level.js";
export {
  type DenoiserSettings,
  type DenoisingMethod,
  type DenoisingStage,
  type DenoisingWarning,
  type DenoisingWatch,
  denoisingMethods,
} from "../denoising/picture-denoiser.js";
export {
  type NoiseDoubt,
  type PictureNoise,
  withPictureNoise,
} from "../denoising/picture-noise.js";
export type { NoiseKind } from "../denoising/real-noise/noise-kind.js";
export type { NoiseFound } from "../denoising/real-noise/noise-plan.js";
export type { WaveletDenoisingOptions } from "../denoising/wavelet-domain.js";
export { type ScaleMixtureOptions, denoiseByScaleMixtures } from "../denoising/wavelet-gsm.js";
export { denoiseByMarginals } from "../denoising/wavelet-marginal.js";
export { type WienerOptions, denoiseByWiener } from "../denoising/wiener.js";
export type { PictureChannels } from "../denoising/denoise-channels.js";
export type { DenoisingPrior, PriorFamily, PriorShelf } from "../denoising/prior-shelf.js";
export type { JpegBlocks } from "../images/jpeg-tables.js";
