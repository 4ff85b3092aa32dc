/** What the library needs from Node: `import { openRunner } from "gaussianize/node"`. */
export { decodeImage, type DecodedImage } from "./decode-image.js";
export {
  type DenoisingPrior,
  type PriorFamily,
  denoisingPriors,
  nearestPrior,
  packagePriors,
} from "./denoising-priors.js";
export { type EmbeddedPhotograph, embeddedPhotographs } from "./embedded-photographs.js";
export { findImages, type FindImagesOptions } from "./find-images.js";
export {
  type ImageSet,
  type ImageSetOptions,
  type LoadedImage,
  type SkippedImage,
  openImageSet,
} from "./image-set.js";
export { readGuided, readModel, readPatchModel, writeGuided, writeModel } from "./model-files.js";
export type {
  BitDepth,
  Picture,
  PictureFormat,
  PictureMetadata,
  PngChunk,
} from "./pictures/picture.js";
export { readPicture } from "./pictures/read-picture.js";
export {
  type PictureWriteOptions,
  type WrittenPicture,
  pictureFormatOf,
  writePicture,
} from "./pictures/write-picture.js";
export { enableRelaxedSimd } from "./relaxed-simd.js";
export { type WritableOptions, requireWritable } from "./require-writable.js";
export { svgDocument } from "./svg-document.js";
export { openRunner, type RunnerOptions } from "./worker-threads.js";
export { writeAtomically } from "./write-atomically.js";
export { writePng } from "./write-png.js";
