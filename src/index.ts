/** The public API of the core: the same in Node, in browsers and in workers. */
export {
  type Backpropagated,
  type Gaussianized,
  type Scored,
  backpropagate,
  gaussianize,
  score,
} from "./density/induced-density.js";
export { GaussianizeError, UsageError } from "./errors.js";
export type {
  FloatArray,
  GdnForm,
  GdnGradient,
  GdnParameters,
  KernelName,
  Kernels,
} from "./kernels/kernels.js";
export { type KernelOptions, type LoadedKernels, loadKernels } from "./kernels/load-kernels.js";
export type { TaskRunner } from "./parallel/job.js";
export { InlineRunner } from "./parallel/inline-runner.js";
export {
  type Purpose,
  type RandomState,
  RandomStream,
  type Seed,
  createRandom,
} from "./random/random-stream.js";
export { type NegentropyGradient, negentropyGradient } from "./training/negentropy-gradient.js";
export { type GdnInput, checkSamples, gdnParameters } from "./transforms/gdn-parameters.js";
export { negentropyDifference } from "./evaluation/negentropy-difference.js";
export { type MosaicOptions, patchMosaic } from "./figures/patch-mosaic.js";
export { type DeadLeavesOptions, deadLeaves } from "./images/dead-leaves.js";
export type { GreyImage } from "./images/grey-image.js";
export { randomPatches } from "./patches/random-patches.js";
export { type Fit, type FitOptions, fitGdn, startingParameters } from "./training/fit-gdn.js";
export { zcaWhitening } from "./transforms/whitening.js";
