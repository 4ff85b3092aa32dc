/**
 * (d) Two workers and two independent processes that run the same kernel. Both compute the gradient
 * sums of a batch; workers also split the batch, send it and join the results.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { runBatch } from "../src/density/batch-passes.js";
import { openRunner } from "../node/worker-threads.js";
import { rateOf } from "./measure.js";
import { type Problem, batchFor, layerFor } from "./problem.js";

const roundMilliseconds = 300;

export interface WorkerFigures {
  readonly samplesPerSecond: number;
  readonly independentSamplesPerSecond: number;
  readonly fractionOfIndependent: number;
}

export async function measureWorkers(problem: Problem, rounds: number): Promise<WorkerFigures> {
  const module = new URL("./independent-process.js", import.meta.url);
  const children = [0, 1].map(() => fork(module, [problem.name]));
  await Promise.all(children.map((child) => once(child, "message")));
  const runner = await openRunner({ workers: 2, callerWorks: true });
  const layer = layerFor(problem);
  const x = batchFor(problem);
  const step = async (): Promise<void> => {
    await runBatch(runner, layer, {
      pass: "backpropagate",
      x,
      upstream: null,
      wantsY: false,
      wantsInputGradient: false,
      wantsSums: true,
    });
  };
  await rateOf(step, 500);
  let [pool, independent] = [0, 0];
  // In turns, and the best round of each (measure.ts).
  for (let round = 0; round < rounds; round++) {
    independent = Math.max(independent, await jointRate(children, roundMilliseconds));
    pool = Math.max(pool, (await rateOf(step, roundMilliseconds)) * problem.batch);
  }
  await runner.close();
  for (const child of children) child.kill();
  return {
    samplesPerSecond: pool,
    independentSamplesPerSecond: independent,
    fractionOfIndependent: pool / independent,
  };
}

/** Samples per second of both processes, while both run. */
async function jointRate(children: readonly ChildProcess[], milliseconds: number): Promise<number> {
  const answers = await Promise.all(
    children.map(async (child) => {
      child.send({ milliseconds });
      const [message] = (await once(child, "message")) as [{ samplesPerSecond: number }];
      return message.samplesPerSecond;
    }),
  );
  return answers[0] + answers[1];
}
