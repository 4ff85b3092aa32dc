/**
 * Densities in pages: opened from addresses and dropped files, computed with on Web Workers.
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
export { decodeImage, type ReadPictureOptions } from "./decode-image.js";
export type { FitOptions as FitDensityOptions } from "../src/runs/fit-density.js";
export { fit } from "./fit.js";
export { type FileHeader, type ImageSetOptions, openImageSet } from "./image-set.js";
export { type DensitySource, openDensity } from "./open-density.js";
export { type BrowserPicture, readPicture } from "./decode-image.js";
export { openRunner } from "./web-workers.js";
