/** Densities of noisy patches that come with the package, each for one noise level. */
import { readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { PictureChannels } from "../src/denoising/denoise-channels.js";
import {
  type DenoisedPicture,
  type PictureDenoisingOptions,
  denoisePicture,
} from "../src/denoising/denoise-picture.js";
import {
  type DenoisingPrior,
  type PriorFamily,
  type PriorShelf,
  keptShelf,
  nearestOf,
  priorsAmong,
} from "../src/denoising/prior-shelf.js";
import { GaussianizeError } from "../src/errors.js";
import { failTo } from "./files.js";
import { readGuided, readPatchModel } from "./model-files.js";
import { sharedRunners } from "./open-density.js";

export type { DenoisingPrior, PriorFamily };

/** Returns the priors of one family, lowest noise level first. */
export async function denoisingPriors(
  family: PriorFamily = "gdn",
): Promise<readonly DenoisingPrior[]> {
  const folder = priorFolder();
  const names = await readdir(folder).catch(failTo("read", folder));
  return priorsAmong(
    names.map((name) => join(folder, name)),
    family,
  );
}

/**
 * Returns the prior whose noise level is nearest to `sigma`, in grey levels of 255. Distances are
 * ratios: 50 is as far from 25 as 12.5 is.
 */
export async function nearestPrior(
  sigma: number,
  family: PriorFamily = "gdn",
): Promise<DenoisingPrior> {
  const priors = await denoisingPriors(family);
  if (priors.length === 0) {
    throw new GaussianizeError(
      "cannot-read",
      `Found no model file ${family}-<sigma>.safetensors in ${priorFolder()}.`,
    );
  }
  return nearestOf(priors, sigma);
}

/**
 * Returns all priors of the package for `denoisePicture`. Each file is read once.
 *
 * @example
 * ```js
 * import { packagePriors } from "gaussianize/node";
 *
 * console.log((await packagePriors().list("gdn")).some(({ sigma }) => sigma === 25)); // true
 * ```
 */
export function packagePriors(): PriorShelf {
  return keptShelf({
    list: denoisingPriors,
    model: readPatchModel,
    guided: async (path) => (await readGuided(path)).guided,
  });
}

/** Opened when first needed, then kept. */
const workshop = { share: sharedRunners.share(), priors: packagePriors() };

/**
 * Removes noise from a picture with one or three channels, with pixels from 0 (black) to 1 (white).
 * Estimates the noise level unless `sigma` gives it, in the same unit: 25 grey levels are 25/255.
 * The result has all fields of the picture, so that `writePicture` keeps its metadata.
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
export async function denoise<P extends PictureChannels>(
  picture: P,
  options?: PictureDenoisingOptions,
): Promise<P & DenoisedPicture> {
  const runner = await workshop.share.use();
  const denoised = await denoisePicture(runner, workshop.priors, picture, options);
  // Denoised pixels no longer have the quantisation of their JPEG file.
  return { ...picture, ...(denoised.isUnchanged ? {} : { jpeg: undefined }), ...denoised };
}

function priorFolder(): string {
  // The package's own name resolves from both node/ and dist/node/.
  const require = createRequire(import.meta.url);
  return join(dirname(require.resolve("gaussianize/package.json")), "priors");
}
