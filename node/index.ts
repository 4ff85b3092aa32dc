/**
 * Opens and fits densities from files in Node, and computes with them on worker threads.
 *
 * `import { openDensity } from "gaussianize/node"`
 *
 * @module gaussianize/node
 */
export type { DecodedImage } from "../src/images/decoded-image.js";
export type { RunnerOptions } from "../src/parallel/open-runner.js";
export type { LoadedImage } from "../src/patches/image-reading.js";
export type { ImageSet, SkippedImage } from "../src/patches/image-set.js";
export type { FitData, FitRequest, Fitted, StepProgress } from "../src/runs/fit-density.js";
export { decodeImage } from "./decode-image.js";
export { denoise, packagePriors } from "./denoising-priors.js";
export { type EmbeddedPhotograph, embeddedPhotographs } from "./embedded-photographs.js";
export { findImages, type FindImagesOptions } from "./find-images.js";
export type { FitOptions as FitDensityOptions } from "../src/runs/fit-density.js";
export { type ImageSetOptions, openImageSet } from "./image-set.js";
export { type DensitySource, fit, type NodeDensity, openDensity } from "./open-density.js";
export type {
  BitDepth,
  Picture,
  PictureFormat,
  PictureMetadata,
  PngChunk,
} from "./pictures/picture.js";
export { readPicture } from "./pictures/read-picture.js";
export {
  type PictureToWrite,
  type PictureWriteOptions,
  type WrittenPicture,
  writePicture,
} from "./pictures/write-picture.js";
export { svgDocument, writePng } from "./figures.js";
export { enableRelaxedSimd, openRunner } from "./worker-threads.js";
