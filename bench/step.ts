/** (b) Samples per second of a whole gradient step. */
import type { KernelName } from "../src/kernels/kernels.js";
import { openRunner } from "../node/worker-threads.js";
import type { RoundOptions } from "./measure.js";
import type { Problem } from "./problem.js";
import { stepRate } from "./step-rate.js";

interface StepOptions {
  readonly kernels: KernelName;
  readonly workers: number;
  /** Whether the calling thread is one of the workers, as in a fit; default true. */
  readonly callerWorks?: boolean;
  readonly rounds?: RoundOptions;
}

export async function measureStep(
  problem: Problem,
  { kernels, workers, callerWorks = true, rounds }: StepOptions,
): Promise<number> {
  const runner = await openRunner({ kernels, workers, callerWorks });
  const rate = await stepRate(runner, problem, rounds);
  await runner.close();
  return rate;
}
