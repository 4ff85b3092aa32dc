/**
 * Densities in pages: from addresses, files, bytes and records, with Web Workers that all share.
 */
import type { DensityRecord } from "../src/density/density-of.js";
import { type OpenDensity, openedDensity } from "../src/density/open-density.js";
import { decodeModel } from "../src/density/model-files/model-file.js";
import type { AnyModel } from "../src/density/model-files/model.js";
import { GaussianizeError } from "../src/errors.js";
import type { RunnerOptions } from "../src/parallel/open-runner.js";
import { SharedRunners } from "../src/parallel/shared-runners.js";
import { openRunner } from "./web-workers.js";

/** The address of a model file, a dropped file, its bytes, a model, or a transform by itself. */
export type DensitySource = string | URL | Blob | Uint8Array | DensityRecord;

/** The workers of this page. */
export const sharedRunners = new SharedRunners(openRunner);

/**
 * Opens a density to compute with. Workers start when it first computes, and all densities with the
 * same options share them.
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

async function modelFrom(source: DensitySource): Promise<DensityRecord> {
  if (typeof source === "string" || source instanceof URL) return fetched(String(source));
  if (source instanceof Uint8Array) return decodeModel(source);
  if (!(source instanceof Blob)) return source;
  const name = source instanceof File ? source.name : "the file";
  return decodeModel(new Uint8Array(await source.arrayBuffer()), name);
}

async function fetched(address: string): Promise<AnyModel> {
  const response = await fetch(address).catch((error: unknown) => {
    const { message } = error as Error;
    throw new GaussianizeError("network-failed", `Cannot fetch ${address}: ${message}.`, {
      cause: error,
    });
  });
  if (!response.ok) {
    throw new GaussianizeError(
      "network-failed",
      `Cannot fetch ${address}: HTTP status ${response.status}.`,
    );
  }
  return decodeModel(new Uint8Array(await response.arrayBuffer()), address);
}
