/**
 * One of two processes that do the work of one worker each, without a pool: the same kernel, leaves
 * and half batch. workers.ts starts it; for every message {milliseconds} it computes for that time
 * and answers with its samples per second.
 */
import { loadKernels } from "../src/kernels/load-kernels.js";
import { leafSizeFor } from "../src/kernels/reduction-tree.js";
import { openOperator, zeroSums } from "../src/transforms/stage-kinds.js";
import { rateOf } from "./measure.js";
import { batchFor, layerFor, problems } from "./problem.js";

const problem = problems.find(({ name }) => name === process.argv[2]) ?? problems[0];
const { dimension, batch } = problem;
const { kernels } = await loadKernels();
const leafSize = leafSizeFor(batch);
const count = batch / 2;
const layer = layerFor(problem);
const leaves = { leafSize, maximumLeaves: Math.ceil(count / leafSize) };
const operator = openOperator(kernels, layer, leaves);
const x = batchFor(problem).subarray(0, count * dimension);
const results = {
  y: null,
  logDeterminant: new Float64Array(count),
  energy: new Float64Array(count),
  failedPivot: new Int32Array(count),
  xGradient: null,
  sums: zeroSums(kernels, layer),
};
const work = (): void => {
  operator.load(layer);
  operator.backpropagate(x, null, count, results);
};

await rateOf(work, 500);
process.on("message", ({ milliseconds }: { milliseconds: number }) => {
  void rateOf(work, milliseconds).then((rate) => {
    process.send?.({ samplesPerSecond: rate * count });
  });
});
process.send?.({ ready: true });
