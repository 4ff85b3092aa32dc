/** Densities in Node: from files, bytes and records, with worker threads that all of them share. */
import { fileURLToPath } from "node:url";
import type { DensityRecord } from "../src/density/density-of.js";
import { type OpenDensity, openedDensity } from "../src/density/open-density.js";
import { decodeModel } from "../src/density/model-files/model-file.js";
import type { RunnerOptions } from "../src/parallel/open-runner.js";
import { SharedRunners } from "../src/parallel/shared-runners.js";
import { readModel, writeModel } from "./model-files.js";
import { openRunner } from "./worker-threads.js";

/** A density in Node. */
export interface NodeDensity extends OpenDensity {
  /** Writes the model as a .safetensors file, completely or not at all. */
  save(path: string): Promise<void>;
}

/** A model file by its path or `file:` address, its bytes, a model, or a transform by itself. */
export type DensitySource = string | URL | Uint8Array | DensityRecord;

/** The workers of this process. */
export const sharedRunners = new SharedRunners(openRunner);

/**
 * Opens a density to compute with. Workers start when it first computes, all densities with the
 * same options share them, and they do not keep the process alive: nothing has to be closed.
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

/** The density of a record. */
export function nodeDensity(model: DensityRecord, options?: RunnerOptions): NodeDensity {
  const density = openedDensity(model, sharedRunners.share(options));
  return Object.assign(density, { save: (path: string) => writeModel(path, density.model) });
}

async function modelFrom(source: DensitySource): Promise<DensityRecord> {
  if (typeof source === "string") return readModel(source);
  if (source instanceof URL) return readModel(fileURLToPath(source));
  return source instanceof Uint8Array ? decodeModel(source) : source;
}
