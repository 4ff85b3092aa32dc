/** (d) Two workers against two independent processes that run the same kernel at the same time. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { negentropyGradient } from "../src/index.js";
import { openRunner } from "../node/index.js";
import { median, rateOf } from "./measure.js";
import { type Problem, batchFor, parametersFor } from "./problem.js";

export interface WorkerFigures {
  readonly samplesPerSecond: number;
  readonly independentSamplesPerSecond: number;
  /** Median over rounds of the ratio within a round. */
  readonly fractionOfIndependent: number;
}

export async function measureWorkers(problem: Problem, rounds: number): Promise<WorkerFigures> {
  const module = new URL("./independent-process.js", import.meta.url);
  const children = [0, 1].map(() => fork(module, [problem.name]));
  await Promise.all(children.map((child) => once(child, "message")));
  const runner = await openRunner({ workers: 2 });
  const parameters = parametersFor(problem);
  const x = batchFor(problem);
  const step = async (): Promise<void> => {
    await negentropyGradient(runner, parameters, x);
  };
  await rateOf(step, 500);
  const pairs: { pool: number; independent: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const independent = await jointRate(children, 600);
    const pool = (await rateOf(step, 600)) * problem.batch;
    pairs.push({ pool, independent });
  }
  await runner.close();
  for (const child of children) child.kill();
  return {
    samplesPerSecond: median(pairs.map(({ pool }) => pool)),
    independentSamplesPerSecond: median(pairs.map(({ independent }) => independent)),
    fractionOfIndependent: median(pairs.map(({ pool, independent }) => pool / independent)),
  };
}

/** The samples per second of both processes together while both run. */
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
