/**
 * Opens and fits densities in web pages, and computes with them on Web Workers.
 *
 * `import { openDensity } from "gaussianize/browser"`
 *
 * @module gaussianize/browser
 */
export type { DecodedImage } from "../src/images/decoded-image.js";
export type { RunnerOptions } from "../src/parallel/open-runner.js";
export type { LoadedImage } from "../src/patches/image-reading.js";
export type { ImageSet, SkippedImage } from "../src/patches/image-set.js";
export type { FitData, FitRequest, Fitted, StepProgress } from "../src/runs/fit-density.js";
export {
  type BrowserPicture,
  decodeImage,
  readPicture,
  type ReadPictureOptions,
} from "./decode-image.js";
export type { FitOptions as FitDensityOptions } from "../src/runs/fit-density.js";
export { type FileHeader, type ImageSetOptions, openImageSet } from "./image-set.js";
export { type DensitySource, fit, openDensity } from "./open-density.js";
export { openRunner } from "./web-workers.js";
