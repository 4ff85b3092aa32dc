/** The public API of the core: the same in Node, in browsers and in workers. */
export { type Gaussianized, type Scored, gaussianize, score } from "./density/induced-density.js";
export { GaussianizeError, UsageError, expected } from "./errors.js";
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
