/** Fits a transform to samples by stochastic descent of the negentropy, paper eq. (3). */
import { certificateOf, isBelowOne } from "../density/verification/certificate.js";
import { checkRunner } from "../density/batch-passes.js";
import { requireWorkForAll } from "../density/ranked-passes.js";
import { expected } from "../errors.js";
import type { TaskRunner } from "../parallel/job.js";
import { stagesOf, withStages } from "../transforms/cascade.js";
import { requireChecked } from "../transforms/checked-transform.js";
import { checkFields } from "../transforms/checks.js";
import { requireImageCascade } from "../transforms/image-cascade.js";
import type { FittedTransform } from "../transforms/side-by-side.js";
import { parametersOf } from "../transforms/parameters.js";
import { FitLoop } from "./fit-loop.js";
import type { Fit, FitCheckpoint, FitOptions } from "./fit-records.js";
import { arraysOf, copyOf } from "./fit-state.js";
import { optimiserNames, startOptimiser } from "./optimisers.js";
import { boundFields, keepWithinBounds } from "./parameter-bounds.js";
import { checkValidation } from "./validation.js";

export type { Fit, FitCheckpoint, FitHistory, FitOptions } from "./fit-records.js";

/**
 * Fits a transform, from a start or from the checkpoint of an earlier fit with the same options.
 *
 * @example
 * ```js
 * import { InlineRunner, affine, loadKernels } from "gaussianize";
 * import { fitTransform } from "gaussianize/training";
 *
 * const runner = new InlineRunner((await loadKernels()).kernels);
 * const batchAt = () => Float32Array.of(1, 2, 3, 4);
 * const fit = await fitTransform(runner, affine({ dimension: 1 }), { steps: 50, batchAt });
 * console.log(fit.transform.kind, fit.steps); // affine 50
 * ```
 */
export async function fitTransform<T extends FittedTransform>(
  runner: TaskRunner,
  from: T | FitCheckpoint<T>,
  options: FitOptions<T>,
): Promise<Fit<T>> {
  checkRunner(runner);
  checkFitOptions(options);
  if ("optimiser" in from) requireSameFit(from, options);
  const first = "optimiser" in from ? from : startingCheckpoint(from, options);
  const loop = new FitLoop(runner, first, options);
  await loop.run();
  return fitAt(loop.checkpoint());
}

/** Returns the checkpoint before the first step. */
export function startingCheckpoint<T extends FittedTransform>(
  start: T,
  options: FitOptions<T>,
): FitCheckpoint<T> {
  const transform = copyOf(checkedAny(start));
  // Without a step, the result would be a start that violates the bounds.
  keepWithinBounds(transform, options);
  if (options.certified) requireCertified(transform);
  const { firstStep: step = 0, optimiser = "adam" } = options;
  return {
    transform,
    optimiser: startOptimiser(optimiser, arraysOf(parametersOf(transform))),
    gradientLength: 0,
    step,
    damping: 1,
    rejectedSteps: 0,
    history: [],
    best: null,
  };
}

/** Returns the result of a fit that ends at this checkpoint. */
export function fitAt<T extends FittedTransform>(checkpoint: FitCheckpoint<T>): Fit<T> {
  const { transform, rejectedSteps, history, step: steps, best } = checkpoint;
  return {
    transform: checkedAny(best ? best.transform : transform),
    rejectedSteps,
    history,
    steps,
    validated: best && { step: best.step, meanLogProb: best.meanLogProb },
  };
}

function checkedAny<T extends FittedTransform>(transform: T): T {
  const any: FittedTransform = transform;
  if (any.kind === "image-cascade") return requireImageCascade(any) as T;
  if (any.kind !== "side-by-side") return requireChecked(any) as T;
  return withStages(any, any.stages.map(requireChecked)) as T;
}

const optionFields = [
  "steps",
  "firstStep",
  "fixedStages",
  "batchAt",
  "objective",
  "learningRate",
  "groupRates",
  "optimiser",
  "probes",
  "whitening",
  "clipAt",
  "validation",
  "onStep",
  "signal",
  "abandonment",
  "ranked",
  ...boundFields,
  "checkpointEvery",
  "checkpointSeconds",
  "checkpointShare",
  "onCheckpoint",
] as const;

function checkFitOptions<T extends FittedTransform>(options: FitOptions<T>): void {
  checkFields("the options", options, optionFields);
  const { steps, batchAt, checkpointEvery = 1, optimiser = "adam" } = options;
  for (const [name, value] of Object.entries({ steps, checkpointEvery })) {
    if (!(Number.isInteger(value) && value >= 1)) {
      throw expected(name, "be an integer of at least 1", value);
    }
  }
  if (typeof batchAt !== "function") throw expected("batchAt", "be a function", batchAt);
  const { firstStep = 0, fixedStages = 0, objective, ranked, validation } = options;
  if (!(Number.isInteger(firstStep) && firstStep >= 0 && firstStep < steps)) {
    throw expected("firstStep", `be an integer from 0 to ${steps - 1}`, firstStep);
  }
  if (fixedStages > 0 && objective) {
    throw expected("fixedStages", "be 0 for an objective other than the likelihood", fixedStages);
  }
  if (ranked && objective) {
    throw expected("ranked", "be omitted for an objective other than the likelihood", "it");
  }
  if (ranked) requireWorkForAll(ranked.batch, ranked.ranks.size);
  if (options.probes && objective) {
    throw expected("probes", "be omitted for an objective other than the likelihood", "them");
  }
  const { seed = 0, share = 0 } = options.probes ?? {};
  if (seed >>> 0 !== seed) throw expected("probes.seed", "be 32 unsigned bits", seed);
  if (!(share >= 0 && share <= 1)) throw expected("probes.share", "be a number from 0 to 1", share);
  const { checkpointSeconds = Infinity, learningRate = 1, clipAt = 1 } = options;
  if (!(checkpointSeconds > 0)) {
    throw expected("checkpointSeconds", "be a positive number", checkpointSeconds);
  }
  const { checkpointShare = 0 } = options;
  if (!(checkpointShare >= 0 && checkpointShare <= 1)) {
    throw expected("checkpointShare", "be a number from 0 to 1", checkpointShare);
  }
  for (const [name, value] of Object.entries({ learningRate, clipAt })) {
    if (!(value > 0 && value < Infinity)) throw expected(name, "be a positive number", value);
  }
  if (!optimiserNames.includes(optimiser)) {
    throw expected("optimiser", `be one of ${optimiserNames.join(", ")}`, optimiser);
  }
  if (validation) checkValidation(validation);
}

/** Compares options with those of a checkpoint, as far as it records them. */
function requireSameFit<T extends FittedTransform>(
  { step, optimiser }: FitCheckpoint<T>,
  options: FitOptions<T>,
): void {
  if (step > options.steps) {
    throw expected("steps", `be at least ${step}, the step of the checkpoint`, options.steps);
  }
  if (optimiser.name === (options.optimiser ?? "adam")) return;
  throw expected("optimiser", `be ${optimiser.name}, as in the checkpoint`, options.optimiser);
}

/** Rejects structures with ε α = 1 by definition, which no bound can change. */
function requireCertified(transform: FittedTransform): void {
  for (const stage of stagesOf(transform)) {
    if (stage.kind !== "gdn" || isBelowOne(certificateOf(stage).q)) continue;
    throw expected("certified", "be false for a structure without q < 1", stage.structure);
  }
}
