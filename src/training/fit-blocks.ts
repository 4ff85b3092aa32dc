/**
 * Fits a GDN to single blocks of images, as to patches. It is the start of the first stage of a
 * cascade: its H becomes the middle tap of the convolution. A step costs a small part of a step of
 * the cascade, and a gradient by one tap has far less noise than one by all.
 */
import { GaussianizeError } from "../errors.js";
import type { TaskRunner } from "../parallel/job.js";
import { type Gdn, gdn } from "../transforms/gdn.js";
import { startingGdn } from "../transforms/gdn-start.js";
import { fitDefaults } from "./fit-defaults.js";
import { LostFit } from "./fit-loop.js";
import type { FitOptions } from "./fit-records.js";
import { fitTransform } from "./fit-transform.js";
import type { GroupRates } from "./group-rates.js";
import type { BoundOptions } from "./parameter-bounds.js";
import type { PreparedFit } from "./prepare-fit.js";

export interface BlockFitOptions {
  /** Pixels of a block. */
  readonly dimension: number;
  /** Steps of the fit that starts from the result; a short one needs no long start. */
  readonly steps: number;
  readonly bounds: BoundOptions;
  readonly probes?: FitOptions["probes"];
  readonly groupRates?: GroupRates | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after each step. */
  readonly onStep?: ((done: number, steps: number) => void) | undefined;
}

/** Most steps: more raise the likelihood of held-out images no further (docs/decisions.md). */
const mostSteps = 800;

/**
 * Fits blocks. The result depends on the options and the prepared data alone, so a resumed fit
 * makes the same start again.
 */
export async function fitBlocks(
  runner: TaskRunner,
  { patchesOf, whitening }: Pick<PreparedFit, "patchesOf" | "whitening">,
  { dimension, steps: ofCascade, bounds, onStep, ...options }: BlockFitOptions,
): Promise<{ readonly H: Float32Array; readonly normalization: Gdn<"column"> }> {
  const { batch, learningRate } = fitDefaults("gdn", dimension);
  const supply = patchesOf(batch);
  const steps = Math.min(mostSteps, ofCascade);
  const start = startingGdn({ structure: "column", dimension, H: whitening });
  const fit = await fitTransform(runner, start, {
    ...bounds,
    ...options,
    steps,
    learningRate,
    whitening,
    batchAt: (step) => supply.batchAt(step),
    onStep: (step) => onStep?.(step + 1, steps),
  }).catch((error: unknown) => {
    throw error instanceof LostFit ? lostBlocks(error) : error;
  });
  const { H, ...normalization } = fit.transform;
  if (!H) throw new Error("the layer of a block has an H");
  return {
    H: Float32Array.from(H),
    normalization: gdn<"column">({ ...normalization, H: null }),
  };
}

function lostBlocks({ checkpoint: { step } }: LostFit): GaussianizeError {
  return new GaussianizeError(
    "fit-failed",
    `The fit of single blocks, from which a cascade starts, failed after ${step} steps: blocks have no density, however small the next step. Use other images, or standardize them.`,
  );
}
