/** What the library needs from a browser: `import { openRunner } from "gaussianize/browser"`. */
export { decodeImage, type DecodedImage } from "./decode-image.js";
export { openRunner, type RunnerOptions } from "./web-workers.js";
