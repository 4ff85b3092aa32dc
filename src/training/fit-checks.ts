/** What a fit refuses before its first step. */
import { expected } from "../errors.js";
import { certificateOf, isBelowOne } from "../density/verification/certificate.js";
import { requireWorkForAll } from "../density/ranked-passes.js";
import { stagesOf } from "../transforms/cascade.js";
import { checkFields } from "../transforms/checks.js";
import type { AnyTransform } from "../transforms/image-cascade.js";
import type { FitCheckpoint, FitOptions } from "./fit-records.js";
import { optimiserNames } from "./optimisers.js";
import { boundFields } from "./parameter-bounds.js";
import { checkValidation } from "./validation.js";

const optionFields = [
  "steps",
  "firstStep",
  "fixedStages",
  "batchAt",
  "objective",
  "learningRate",
  "optimiser",
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
  "onCheckpoint",
] as const;

export function checkFitOptions<T extends AnyTransform>(options: FitOptions<T>): void {
  checkFields("the options", options, optionFields);
  const { steps, batchAt, checkpointEvery = 1, optimiser = "adam" } = options;
  for (const [name, value] of Object.entries({ steps, checkpointEvery })) {
    if (!(Number.isInteger(value) && value >= 1)) {
      throw expected(name, "be an integer of at least 1", value);
    }
  }
  if (typeof batchAt !== "function") throw expected("batchAt", "be a function", batchAt);
  const { firstStep = 0, fixedStages = 0, objective } = options;
  if (!(Number.isInteger(firstStep) && firstStep >= 0 && firstStep < steps)) {
    throw expected("firstStep", `be an integer from 0 to ${steps - 1}`, firstStep);
  }
  if (fixedStages > 0 && objective) {
    throw expected("fixedStages", "be 0 for an objective other than the likelihood", fixedStages);
  }
  const { ranked, checkpointSeconds = 1 } = options;
  if (!(checkpointSeconds > 0)) {
    throw expected("checkpointSeconds", "be a positive number", checkpointSeconds);
  }
  if (ranked && objective) {
    throw expected("ranked", "be left out for an objective other than the likelihood", "it");
  }
  if (ranked) requireWorkForAll(ranked.batch, ranked.ranks.size);
  const { learningRate = 1, clipAt = 1, validation } = options;
  for (const [name, value] of Object.entries({ learningRate, clipAt })) {
    if (!(value > 0 && value < Infinity)) throw expected(name, "be a positive number", value);
  }
  if (!optimiserNames.includes(optimiser)) {
    throw expected("optimiser", `be one of ${optimiserNames.join(", ")}`, optimiser);
  }
  if (validation) checkValidation(validation);
}

/** What a checkpoint can tell of the options it was made with. */
export function requireSameFit<T extends AnyTransform>(
  { step, optimiser }: FitCheckpoint<T>,
  options: FitOptions<T>,
): void {
  if (step > options.steps) {
    throw expected("steps", `be at least the ${step} that the checkpoint has`, options.steps);
  }
  if (optimiser.name === (options.optimiser ?? "adam")) return;
  throw expected("optimiser", `be that of the checkpoint, ${optimiser.name}`, options.optimiser);
}

/** Some structures have ε α = 1 by definition, and no bound can change that. */
export function requireCertified(transform: AnyTransform): void {
  for (const stage of stagesOf(transform)) {
    if (stage.kind !== "gdn" || isBelowOne(certificateOf(stage).q)) continue;
    throw expected("certified", "be asked of a structure that can have q < 1", stage.structure);
  }
}
