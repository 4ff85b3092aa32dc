/**
 * One of two processes that do the work of one worker each, without any pool. Started by workers.ts: for every message
 * {milliseconds} it computes for so long and answers with its samples per second.
 */
import { InlineRunner, loadKernels, negentropyGradient } from "../src/index.js";
import { rateOf } from "./measure.js";
import { batchFor, parametersFor, problems } from "./problem.js";

const problem = problems.find(({ name }) => name === process.argv[2]) ?? problems[0];
const { kernels } = await loadKernels();
const runner = new InlineRunner(kernels);
const parameters = parametersFor(problem);
const share = batchFor(problem).subarray(0, (problem.batch / 2) * problem.dimension);
const work = async (): Promise<void> => {
  await negentropyGradient(runner, parameters, share);
};

await rateOf(work, 500);
process.on("message", ({ milliseconds }: { milliseconds: number }) => {
  void rateOf(work, milliseconds).then((rate) => {
    process.send?.({ samplesPerSecond: (rate * problem.batch) / 2 });
  });
});
process.send?.({ ready: true });
