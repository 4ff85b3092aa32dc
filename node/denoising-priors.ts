/** Densities of noisy patches that come with the package, one for each of some noise levels. */
import { readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import {
  type DenoisingPrior,
  type PriorFamily,
  type PriorShelf,
  keptShelf,
  nearestOf,
  priorsAmong,
} from "../src/denoising/prior-shelf.js";
import { GaussianizeError } from "../src/errors.js";
import { fileError } from "./file-errors.js";
import { readGuided, readPatchModel } from "./model-files.js";

export type { DenoisingPrior, PriorFamily };

/** Those of one family that come with the package, the least noise first. */
export async function denoisingPriors(
  family: PriorFamily = "gdn",
): Promise<readonly DenoisingPrior[]> {
  const folder = priorFolder();
  const names = await readdir(folder).catch((error: unknown) => {
    throw fileError("read", folder, error);
  });
  return priorsAmong(
    names.map((name) => join(folder, name)),
    family,
  );
}

/**
 * The one whose noise level is nearest to `sigma`, in grey levels of 255: 50 is as far from 25 as
 * 12.5.
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
 * All that come with the package, each read once: for `denoisePicture`.
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

function priorFolder(): string {
  // The package refers to itself by name, which works from node/ and from dist/node/ alike.
  const require = createRequire(import.meta.url);
  return join(dirname(require.resolve("gaussianize/package.json")), "priors");
}
