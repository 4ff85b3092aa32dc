/**
 * Pixels, their preprocessing, and patches of images.
 *
 * `import { … } from "gaussianize/images"`
 *
 * @example
 * ```js
 * import { createRandom } from "gaussianize";
 * import { centralCrop, deadLeaves } from "gaussianize/images";
 *
 * const scene = deadLeaves(createRandom(1), { width: 64, height: 48 });
 * console.log(centralCrop(scene, { width: 32, height: 32 }).pixels.length); // 1024
 * ```
 *
 * @module gaussianize/images
 */
export { centralCrop } from "../images/grey-image.js";
export {
  type ThreeChannels,
  decorrelateColours,
  recorrelateColours,
} from "../images/colour-decorrelation.js";
export { type DeadLeavesOptions, deadLeaves } from "../images/dead-leaves.js";
export type { DecodedImage, Quantization } from "../images/decoded-image.js";
export type { GreyImage, GreyPixels } from "../images/grey-image.js";
export { type Luminance, linearToSrgb } from "../images/luminance.js";
export { gridPatches } from "../patches/image-patches.js";
export { type AsReadOptions, type LoadedImage, imageAsRead } from "../patches/image-reading.js";
export { type ImageReading, type ProtocolName, protocols } from "../patches/image-reading.js";
export { type PatchLayout, patchesToSamples, samplesToPatches } from "../patches/patch-layout.js";
export { type BatchPart, type PatchSupplyOptions, PatchSupply } from "../patches/patch-supply.js";
export { randomPatches } from "../patches/image-patches.js";
export type { ReadingPlan } from "../patches/reading-plan.js";
export { type QuantizedPixels, dequantize } from "../preprocessing/dequantize.js";
export { withWhiteNoise } from "../preprocessing/white-noise.js";
