import type { TaskRunner } from "../src/parallel/job.js";
import {
  type UncheckedOptions,
  uncheckedNegentropyGradient,
} from "../src/training/negentropy-gradient.js";
import type { Gdn } from "../src/transforms/gdn.js";
import { type RoundOptions, bestRate, rateOf, repeatFor } from "./measure.js";
import { type Problem, batchFor, layerFor } from "./problem.js";

/** Samples per second of gradient steps of one batch, including −H⁻ᵀ. */
export async function stepRate(
  runner: TaskRunner,
  problem: Problem,
  rounds?: RoundOptions,
): Promise<number> {
  const rate = await bestRate(
    stepOf(runner, { layer: layerFor(problem), x: batchFor(problem) }),
    rounds,
  );
  return rate * problem.batch;
}

/** Computes steps for at least the given milliseconds; returns the number of samples. */
export async function stepsFor(
  runner: TaskRunner,
  problem: Problem,
  milliseconds: number,
): Promise<number> {
  const step = stepOf(runner, { layer: layerFor(problem), x: batchFor(problem) });
  return (await repeatFor(step, milliseconds)) * problem.batch;
}

/** A gradient step of one batch. */
export interface Step {
  readonly layer: Gdn;
  readonly x: Float32Array;
  readonly options?: UncheckedOptions;
}

/** Samples per second, the best of several turns: in turns, so that other load slows all alike. */
export async function bestRates<Name extends string>(
  runner: TaskRunner,
  turns: number,
  steps: Readonly<Record<Name, Step>>,
): Promise<Record<Name, number>> {
  const best: Partial<Record<Name, number>> = {};
  for (let turn = 0; turn <= turns; turn++) {
    for (const [name, step] of Object.entries<Step>(steps)) {
      const samples = step.x.length / step.layer.dimension;
      // The first turn only warms up.
      const rate = (await rateOf(stepOf(runner, step), turn === 0 ? 1 : 500)) * samples;
      if (turn > 0) best[name as Name] = Math.max(best[name as Name] ?? 0, rate);
    }
  }
  return best as Record<Name, number>;
}

function stepOf(runner: TaskRunner, { layer, x, options }: Step): () => Promise<void> {
  return async () => {
    await uncheckedNegentropyGradient(runner, layer, x, options);
  };
}
