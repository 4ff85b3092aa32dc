import type { FloatArray } from "../../kernels/kernels.js";
import type { TaskRunner } from "../../parallel/job.js";
import type { BatchOptions } from "../batch-passes.js";
import { type Scored, score } from "../induced-density.js";
import { type MixtureComponent, isMixture } from "./mixture.js";
import { mixtureScore } from "./mixture-passes.js";

/** Returns log p(x) and its gradient by x, for a transform or a mixture. */
export function scoreOfPatches(
  runner: TaskRunner,
  density: MixtureComponent,
  x: FloatArray,
  options?: BatchOptions,
): Promise<Scored> {
  return isMixture(density)
    ? mixtureScore(runner, density, x, options)
    : score(runner, density, x, options);
}
