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
import type { StepTimes } from "./mpi.js";
import { batchFor, layerFor } from "./problem.js";

const [mode, first, second = "0"] = process.argv.slice(2);
const warmUp = 3;

if (mode === "exchange") await measureExchange(Number(first));
else await measureSteps(Number(first), Number(second), Number(process.argv[5] ?? 0));

async function measureSteps(dimension: number, batch: number, steps: number): Promise<void> {
  const ranks = mode === "rank" ? await MpiRanks.join(process.env) : undefined;
  const { first: begin, end } = ranks
    ? samplesOf(sharesOf(batch, ranks.size), ranks.rank)
    : { first: 0, end: batch };
  const x = batchFor({ dimension, batch }).subarray(begin * dimension, end * dimension);
  // As a rank of the command has it, where several are on a machine.
  const runner = await openRunner({ workers: 0 });
  const times: number[] = [];
  const processor: NodeJS.CpuUsage[] = [];
  await fitTransform(runner, layerFor({ structure: "column", dimension }), {
    steps: steps + warmUp,
    batchAt: () => x,
    onStep: () => {
      // By the clock of all processes.
      times.push((performance.timeOrigin + performance.now()) / 1000);
      processor.push(process.cpuUsage());
    },
    ...(ranks && { ranked: { ranks, batch } }),
  });
  await runner.close();
  ranks?.leave();
  if (ranks && ranks.rank > 0) return;
  const spent = [processor[warmUp - 1], processor[processor.length - 1]].map(
    ({ user, system }) => (user + system) / 1e6,
  );
  const figures: StepTimes = {
    times: times.slice(warmUp - 1),
    cpuSeconds: (spent[1] - spent[0]) / (processor.length - warmUp),
  };
  print(figures);
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
