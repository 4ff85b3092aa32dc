/** Opens and fits densities in Node. All of them share one set of worker threads. */
import { fileURLToPath } from "node:url";
import type { DensityRecord } from "../src/density/density-of.js";
import { type OpenDensity, openedDensity } from "../src/density/open-density.js";
import { decodeModel } from "../src/density/model-files/model-file.js";
import type { RunnerOptions } from "../src/parallel/open-runner.js";
import { SharedRunners } from "../src/parallel/shared-runners.js";
import {
  type FitData,
  type FitOptions,
  type Fitted,
  fitOnShared,
} from "../src/runs/fit-density.js";
import { findImages } from "./find-images.js";
import { openImageSet } from "./image-set.js";
import { readModel, writeModel } from "./model-files.js";
import { openRunner } from "./worker-threads.js";

/** A density that can be saved to a file. */
export interface NodeDensity extends OpenDensity {
  /** Writes the model as a .safetensors file, completely or not at all. */
  save(path: string): Promise<void>;
}

/** Path or `file:` URL of a model file, its bytes, a model, or a transform. */
export type DensitySource = string | URL | Uint8Array | DensityRecord;

/** Worker threads of this process. */
export const sharedRunners = new SharedRunners(openRunner);

/**
 * Opens a density. Its workers start when it first computes, and densities with the same options
 * share them. They do not keep the process alive, so nothing has to be closed.
 *
 * @example
 * ```js
 * import { openDensity } from "gaussianize/node";
 *
 * const folder = import.meta.resolve("gaussianize/package.json");
 * const density = await openDensity(new URL("models/kodak16-rg.safetensors", folder));
 * const x = await density.sample(3, { seed: 7 });
 * console.log((await density.logProb(x)).length); // 3
 * ```
 */
export async function openDensity(
  source: DensitySource,
  options?: RunnerOptions,
): Promise<NodeDensity> {
  return nodeDensity(await modelFrom(source), options);
}

/**
 * Fits a density to rows of samples, to grey images in memory, or to pictures: paths of files,
 * folders, tar archives and globs. The same data, options and seed give the same bits.
 *
 * @throws GaussianizeError if no image can be used or an option is wrong
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
  return fitOnShared(
    sharedRunners,
    typeof data === "string" ? [data] : data,
    options,
    async (paths, ...asked) => openImageSet(await findImages(paths), ...asked),
    nodeDensity,
  );
}

function nodeDensity(model: DensityRecord, options?: RunnerOptions): NodeDensity {
  const density = openedDensity(model, sharedRunners.share(options));
  return Object.assign(density, { save: (path: string) => writeModel(path, density.model) });
}

async function modelFrom(source: DensitySource): Promise<DensityRecord> {
  if (typeof source === "string") return readModel(source);
  if (source instanceof URL) return readModel(fileURLToPath(source));
  return source instanceof Uint8Array ? decodeModel(source) : source;
}
