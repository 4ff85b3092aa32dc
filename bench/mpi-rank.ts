/**
 * One process of what bench/mpi.ts compares: `fit` steps of a layer with N components, by itself or as a rank of a job; or exchanges of
 * gradients alone. Its figures go to stdout as a line of JSON, at rank 0 only.
 */
import { openRunner } from "../node/index.js";
import { MpiRanks } from "../node/mpi/mpi-ranks.js";
import { samplesOf, sharesOf } from "../src/density/ranked-passes.js";
import { fitTransform } from "../src/index.js";
import { blocksOf } from "../src/parallel/ranks.js";
import { median } from "./measure.js";
import { batchFor, layerFor } from "./problem.js";

const [mode, first, second = "0"] = process.argv.slice(2);
const warmUp = 3;
const stepsOfRound = 5;

if (mode === "exchange") await measureExchange(Number(first));
else await measureSteps(Number(first), Number(second), Number(process.argv[5] ?? 0));

async function measureSteps(dimension: number, batch: number, steps: number): Promise<void> {
  const ranks = mode === "rank" ? await MpiRanks.join(process.env) : undefined;
  const { first: begin, end } = ranks
    ? samplesOf(sharesOf(batch, ranks.size), ranks.rank)
    : { first: 0, end: batch };
  const x = batchFor({ dimension, batch }).subarray(begin * dimension, end * dimension);
  // As the command has them: alone the thread computes itself, a rank's hears signals.
  const runner = await openRunner({ workers: 1, callerWorks: !ranks });
  const times: number[] = [];
  const processor: NodeJS.CpuUsage[] = [];
  await fitTransform(runner, layerFor({ structure: "column", dimension }), {
    steps: steps + warmUp,
    batchAt: () => x,
    onStep: () => {
      times.push(performance.now());
      processor.push(process.cpuUsage());
    },
    ...(ranks && { ranked: { ranks, batch } }),
  });
  await runner.close();
  ranks?.leave();
  if (ranks && ranks.rank > 0) return;
  const seconds = bestRound(times.slice(warmUp - 1)) / 1000;
  const spent = [processor[warmUp - 1], processor[processor.length - 1]].map(
    ({ user, system }) => (user + system) / 1e6,
  );
  const cpuSeconds = (spent[1] - spent[0]) / (processor.length - warmUp);
  print({ seconds, cpuSeconds, samplesPerSecond: batch / seconds });
}

/** Of a step, in the best of all rounds of a few steps (measure.ts). */
function bestRound(times: readonly number[]): number {
  const rounds = times.slice(stepsOfRound).map((time, k) => time - times[k]);
  return Math.min(...rounds) / stepsOfRound;
}

/** What a sum of so many floats costs, added or not: everybody's slices to everybody, and back. */
async function measureExchange(floats: number): Promise<void> {
  const ranks = await MpiRanks.join(process.env);
  const share = 4 * Math.ceil(floats / ranks.size);
  const lengths = new Array<number>(ranks.size).fill(share);
  const [send, receive, all] = [blocksOf(lengths), blocksOf(lengths), blocksOf(lengths)];
  const own = new Uint8Array(share);
  const times: number[] = [];
  for (let k = 0; k < 200; k++) {
    const start = performance.now();
    await ranks.exchange(send, receive);
    await ranks.gather(own, all);
    times.push(performance.now() - start);
  }
  ranks.leave();
  const milliseconds = { median: median(times), best: Math.min(...times) };
  if (ranks.rank === 0) print({ floats, milliseconds });
}

function print(figures: unknown): void {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
