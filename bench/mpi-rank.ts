/**
 * One process of bench/mpi.ts. As a rank of a job it measures rounds of joint steps, alternating
 * with rounds in which each rank fits by itself, or exchanges of gradients; without a job, only
 * steps by itself. Prints its figures as a line of JSON.
 */
import { openRunner } from "../node/worker-threads.js";
import { MpiRanks } from "../node/mpi/mpi-ranks.js";
import { samplesOf, sharesOf } from "../src/density/ranked-passes.js";
import type { TaskRunner } from "../src/parallel/job.js";
import { fitTransform } from "../src/training/fit-transform.js";
import { gatherMessages, blocksOf } from "../src/parallel/ranks.js";
import { medianOf } from "../src/numbers/order-statistics.js";
import type { Round, Steps } from "./mpi.js";
import { batchFor, layerFor } from "./problem.js";

const stepsOfRound = 8;
/** Length of the schedule, so that occasional work is as rare as in a real fit. */
const stepsOfFit = 2000;
const [mode, ...numbers] = process.argv.slice(2);
const [first, second = 0, third = 0] = numbers.map(Number);

if (mode === "exchange") await measureExchange(first);
else if (mode === "alone") await measureAlone(first, second, third);
else await measureRounds(first, second, third);

/** Measures steps of a fit, by this process or by all ranks. */
async function stepsOf(
  runner: TaskRunner,
  x: Float32Array,
  { dimension, batch, steps }: { dimension: number; batch: number; steps: number },
  ranks?: MpiRanks,
): Promise<Steps> {
  const times: number[] = [];
  const processor: number[] = [];
  const end = new AbortController();
  const fit = fitTransform(runner, layerFor({ structure: "column", dimension }), {
    steps: stepsOfFit,
    signal: end.signal,
    batchAt: () => x,
    // As in `gaussianize fit`; it costs two products.
    whitening: identity(dimension),
    onStep: () => {
      // All processes share this clock.
      times.push((performance.timeOrigin + performance.now()) / 1000);
      const { user, system } = process.cpuUsage();
      processor.push((user + system) / 1e6);
      // The first step, with work that is done once, does not count.
      if (times.length === steps + 1) end.abort(new Error("that is enough"));
    },
    ...(ranks && { ranked: { ranks, batch } }),
  });
  await fit.catch((error: unknown) => {
    if (!end.signal.aborted) throw error;
  });
  return { times, cpuSeconds: medianOf(differences(processor)) };
}

function differences(values: readonly number[]): number[] {
  return values.slice(1).map((value, k) => value - values[k]);
}

function identity(n: number): Float32Array {
  return Float32Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0));
}

async function measureAlone(dimension: number, batch: number, steps: number): Promise<void> {
  const runner = await openRunner({ workers: 0 });
  const x = batchFor({ dimension, batch });
  const warmUp = 3;
  await stepsOf(runner, x, { dimension, batch, steps: warmUp });
  print(await stepsOf(runner, x, { dimension, batch, steps }));
  await runner.close();
}

async function measureRounds(dimension: number, batch: number, count: number): Promise<void> {
  const ranks = await MpiRanks.join(process.env);
  const { first: begin, end } = samplesOf(sharesOf(batch, ranks.size), ranks.rank);
  const x = batchFor({ dimension, batch }).subarray(begin * dimension, end * dimension);
  // As for several ranks on one machine.
  const runner = await openRunner({ workers: 0 });
  const problem = { dimension, batch, steps: stepsOfRound };
  const rounds: Round[] = [];
  for (let k = 0; k <= count; k++) {
    await gatherMessages(ranks, new Uint8Array(0));
    const together = await stepsOf(runner, x, problem, ranks);
    const alone = await stepsOf(runner, x, problem);
    // The first round warms up the compiler.
    if (k > 0) rounds.push({ together, alone });
  }
  await runner.close();
  const all = await gatherMessages(ranks, new TextEncoder().encode(JSON.stringify(rounds)));
  ranks.leave();
  if (ranks.rank > 0) return;
  print(all.map((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as Round[]));
}

/** Measures the exchange of slices of so many floats between all ranks, and back. */
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
  const milliseconds = { median: medianOf(times), best: Math.min(...times) };
  if (ranks.rank === 0) print({ floats, milliseconds });
}

function print(figures: unknown): void {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
