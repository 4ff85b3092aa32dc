/** Opens and fits densities in web pages. All of them share one set of Web Workers. */
import type { DensityRecord } from "../src/density/density-of.js";
import { type OpenDensity, openedDensity } from "../src/density/open-density.js";
import { decodeModel } from "../src/density/model-files/model-file.js";
import type { AnyModel } from "../src/density/model-files/model.js";
import { GaussianizeError } from "../src/errors.js";
import type { RunnerOptions } from "../src/parallel/open-runner.js";
import { SharedRunners } from "../src/parallel/shared-runners.js";
import {
  type FitData,
  type FitOptions,
  type Fitted,
  fitOnShared,
} from "../src/runs/fit-density.js";
import { openImageSet } from "./image-set.js";
import { openRunner } from "./web-workers.js";

/** URL of a model file, a file, its bytes, a model, or a transform. */
export type DensitySource = string | URL | Blob | Uint8Array | DensityRecord;

/** Web Workers of this page. */
const sharedRunners = new SharedRunners(openRunner);

/**
 * Opens a density. Its workers start when it first computes, and densities with the same options
 * share them.
 *
 * @example
 * ```js
 * import { openDensity } from "gaussianize/browser";
 *
 * const density = await openDensity("kodak16.safetensors");
 * console.log(await density.logProb(await density.sample(25, { seed: 7 })));
 * ```
 */
export async function openDensity(
  source: DensitySource,
  options?: RunnerOptions,
): Promise<OpenDensity> {
  return openedDensity(await modelFrom(source), sharedRunners.share(options));
}

/**
 * Fits a density to rows of samples, to grey images in memory, or to picture files. The same data,
 * options and seed give the same bits as in Node.
 *
 * @throws GaussianizeError if no image can be used or an option is wrong
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

async function modelFrom(source: DensitySource): Promise<DensityRecord> {
  if (typeof source === "string" || source instanceof URL) return fetched(String(source));
  if (source instanceof Uint8Array) return decodeModel(source);
  if (!(source instanceof Blob)) return source;
  const name = source instanceof File ? source.name : "the file";
  return decodeModel(new Uint8Array(await source.arrayBuffer()), name);
}

async function fetched(address: string): Promise<AnyModel> {
  const failure = (reason: string, cause?: unknown): GaussianizeError =>
    new GaussianizeError("network-failed", `Cannot fetch ${address}: ${reason}.`, { cause });
  const response = await fetch(address).catch((error: unknown) => {
    throw failure((error as Error).message, error);
  });
  if (!response.ok) throw failure(`HTTP status ${response.status}`);
  return decodeModel(new Uint8Array(await response.arrayBuffer()), address);
}
