/** Fits in pages: to rows, to images in memory, or to dropped picture files. */
import { type OpenDensity, openedDensity } from "../src/density/open-density.js";
import {
  type FitData,
  type FitOptions,
  type Fitted,
  fitOnShared,
} from "../src/runs/fit-density.js";
import { openImageSet } from "./image-set.js";
import { sharedRunners } from "./open-density.js";

/**
 * Fits a density to rows of samples, to grey images in memory, or to picture files. The same data,
 * options and seed give the same bits as in Node.
 *
 * @throws GaussianizeError where no image can be used, or an option is wrong
 *
 * @example
 * ```js
 * import { fit } from "gaussianize/browser";
 *
 * const { density } = await fit([...document.querySelector("input").files], { patch: 8 });
 * ```
 */
export async function fit(
  data: FitData<File>,
  options: FitOptions = {},
): Promise<Fitted<OpenDensity>> {
  return fitOnShared(sharedRunners, data, options, openImageSet, (model, onRunner) =>
    openedDensity(model, sharedRunners.share(onRunner)),
  );
}
