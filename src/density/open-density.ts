/// <reference lib="esnext.disposable" preserve="true" />
import type { RunnerShare } from "../parallel/shared-runners.js";
import { type DensityRecord, densityOf } from "./density-of.js";
import type { Density } from "./density.js";
import { encodeModel } from "./model-files/model-file.js";

/** A density with workers, which start when it first computes. */
export interface OpenDensity extends Density {
  /** Returns the bytes of its model file; the same model gives the same bytes. */
  encode(): Uint8Array<ArrayBuffer>;
  /**
   * Ends the workers, unless other densities use them. Optional: idle workers do not block exit.
   */
  close(): Promise<void>;
  /** Closes the density at the end of a block: `await using density = …`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens a density for an adapter, with a share in its workers. */
export function openedDensity(model: DensityRecord, share: RunnerShare): OpenDensity {
  const density = densityOf(model, share.use);
  const close = (): Promise<void> => share.release();
  const encode = () => encodeModel(density.model) as Uint8Array<ArrayBuffer>;
  // Not all browsers have the symbol.
  const symbol = Symbol.asyncDispose as symbol | undefined;
  return Object.assign(density, {
    encode,
    close,
    ...(symbol && { [symbol]: close }),
  }) as OpenDensity;
}
