/** Fits in Node: to rows, to images in memory, or to picture files. */
import {
  type FitData,
  type FitOptions,
  type Fitted,
  fitOnShared,
} from "../src/runs/fit-density.js";
import { findImages } from "./find-images.js";
import { openImageSet } from "./image-set.js";
import { type NodeDensity, nodeDensity, sharedRunners } from "./open-density.js";

/**
 * Fits a density to rows of samples, to grey images in memory, or to pictures: paths of files,
 * folders, tar archives and globs. The same data, options and seed give the same bits.
 *
 * @throws GaussianizeError where no image can be used, or an option is wrong
 *
 * @example
 * ```js
 * import { fit } from "gaussianize/node";
 *
 * const rows = Array.from({ length: 200 }, (_, k) => [Math.sin(k), Math.cos(3 * k)]);
 * const { density, history } = await fit(rows, { steps: 20 });
 * console.log(density.dimension, history.length); // 2 20
 * ```
 */
export async function fit(
  data: FitData<string> | string,
  options: FitOptions = {},
): Promise<Fitted<NodeDensity>> {
  const given = typeof data === "string" ? [data] : data;
  return fitOnShared(
    sharedRunners,
    given,
    options,
    async (paths, ...asked) => openImageSet(await findImages(paths), ...asked),
    nodeDensity,
  );
}
