/** Fits a transform to samples by stochastic descent of the negentropy, paper eq. (3). */
import type { TaskRunner } from "../parallel/job.js";
import { checkRunner } from "../density/batch-passes.js";
import { type AnyTransform, requireImageCascade } from "../transforms/image-cascade.js";
import { requireChecked } from "../transforms/checked-transform.js";
import { checkFitOptions, requireCertified, requireSameFit } from "./fit-checks.js";
import { FitLoop, boundsOf } from "./fit-loop.js";
import type { Fit, FitCheckpoint, FitOptions } from "./fit-records.js";
import { copyOf, startState } from "./fit-state.js";
import { projectOntoBounds } from "./parameter-bounds.js";

export type { Fit, FitCheckpoint, FitHistory, FitOptions } from "./fit-records.js";

/** From a start, or from where an earlier fit with the same options was interrupted. */
export async function fitTransform<T extends AnyTransform>(
  runner: TaskRunner,
  from: T | FitCheckpoint<T>,
  options: FitOptions<T>,
): Promise<Fit<T>> {
  checkRunner(runner);
  checkFitOptions(options);
  if ("optimiser" in from) requireSameFit(from, options);
  const loop = new FitLoop(
    runner,
    "optimiser" in from ? from : startingCheckpoint(from, options),
    options,
  );
  await loop.run();
  return fitAt(loop.checkpoint());
}

/** Before the first step. */
export function startingCheckpoint<T extends AnyTransform>(
  start: T,
  options: FitOptions<T>,
): FitCheckpoint<T> {
  const first = copyOf(checkedAny(start));
  // A start outside of bounds that the options ask for must not come back where no step is taken.
  projectOntoBounds(first, boundsOf(options));
  if (options.certified) requireCertified(first);
  const state = startState(first, options.optimiser ?? "adam");
  const { firstStep: step = 0 } = options;
  return { ...state, step, damping: 1, rejectedSteps: 0, history: [], best: null };
}

/** What the fit would be if it ended there. */
export function fitAt<T extends AnyTransform>(checkpoint: FitCheckpoint<T>): Fit<T> {
  const { transform, rejectedSteps, history, step: steps, best } = checkpoint;
  return {
    transform: checkedAny(best ? best.transform : transform),
    rejectedSteps,
    history,
    steps,
    validated: best && { step: best.step, meanLogProb: best.meanLogProb },
  };
}

function checkedAny<T extends AnyTransform>(transform: T): T {
  const any: AnyTransform = transform;
  const checked = any.kind === "image-cascade" ? requireImageCascade(any) : requireChecked(any);
  return checked as T;
}
