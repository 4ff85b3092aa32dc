/** What the library needs from a browser: `import { openRunner } from "gaussianize/browser"`. */
export { decodeImage, type DecodedImage, type ReadPictureOptions } from "./decode-image.js";
export {
  type FileHeader,
  type ImageSet,
  type ImageSetOptions,
  type LoadedImage,
  type SkippedImage,
  openImageSet,
} from "./image-set.js";
export { type BrowserPicture, readPicture } from "./read-picture.js";
export { openRunner, type RunnerOptions } from "./web-workers.js";
