/** Denoising in Node, by the densities that come with the package. */
import type { PictureChannels } from "../src/denoising/denoise-channels.js";
import {
  type DenoisedPicture,
  type PictureDenoisingOptions,
  denoisePicture,
} from "../src/denoising/denoise-picture.js";
import { packagePriors } from "./denoising-priors.js";
import { sharedRunners } from "./open-density.js";

/** Opened when they are first needed, and kept. */
const workshop = { share: sharedRunners.share(), priors: packagePriors() };

/**
 * Removes the noise of a picture of one or three channels, with pixels from 0 (black) to 1 (white).
 * The noise is estimated unless `sigma` says how much there is.
 *
 * @example
 * ```js
 * import { denoise } from "gaussianize/node";
 *
 * const channels = [Float32Array.from({ length: 256 }, (_, k) => (k % 3) / 2)];
 * const clean = await denoise({ width: 16, height: 16, channels }, { sigma: 0.1, rounds: 1 });
 * console.log(clean.channels[0].length); // 256
 * ```
 */
export async function denoise(
  picture: PictureChannels,
  options?: PictureDenoisingOptions,
): Promise<DenoisedPicture> {
  return denoisePicture(await workshop.share.use(), workshop.priors, picture, options);
}
