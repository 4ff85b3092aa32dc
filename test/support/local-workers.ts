/** Workers and ranks in this thread, which wait for the event loop as threads do. */
import type { FromWorker, ToWorker, WorkerHandle } from "../../src/parallel/messages.js";
import { type AnyJob, serveJobs } from "../../src/parallel/serve-jobs.js";
import { type Blocks, type Ranks, blockAt } from "../../src/parallel/ranks.js";

/** Starts a worker in this thread that serves jobs; its messages arrive later, as from a thread. */
export function startFakeWorker(jobs: readonly AnyJob[], onTask: () => void): WorkerHandle {
  const toPool: ((message: FromWorker) => void)[] = [];
  const toWorker: ((message: ToWorker) => void)[] = [];
  serveJobs(
    {
      post(message) {
        setImmediate(() => {
          for (const listener of toPool) listener(message);
        });
      },
      onMessage(listener) {
        toWorker.push(listener);
      },
    },
    jobs,
  );
  return {
    post(message) {
      if (message.type === "task") onTask();
      setImmediate(() => {
        for (const listener of toWorker) listener(structuredClone(message));
      });
    },
    onMessage(listener) {
      toPool.push(listener);
    },
    onDeath() {
      // It never dies.
    },
    terminate: () => Promise.resolve(),
  };
}

export function localRanks(size: number): readonly Ranks[] {
  let arrived: Uint8Array[][] = [];
  let waiting: (() => void)[] = [];
  /** Resolves with the blocks of all ranks once all have sent theirs. */
  const meet = async (rank: number, blocks: readonly Uint8Array[]): Promise<Uint8Array[][]> => {
    const round = arrived;
    round[rank] = blocks.map((block) => block.slice());
    if (round.filter(Boolean).length < size) {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return round;
    }
    const others = waiting;
    [arrived, waiting] = [[], []];
    for (const goOn of others) goOn();
    return round;
  };
  const all = (blocks: Blocks): Uint8Array[] =>
    Array.from({ length: size }, (_, k) => blockAt(blocks, k));
  return Array.from({ length: size }, (_, rank): Ranks => ({
    rank,
    size,
    exchange: async (send, receive) => {
      const round = await meet(rank, all(send));
      round.forEach((blocks, k) => {
        blockAt(receive, k).set(blocks[rank]);
      });
    },
    gather: async (own, gathered) => {
      const round = await meet(rank, [own]);
      round.forEach(([block], k) => {
        blockAt(gathered, k).set(block);
      });
    },
  }));
}

/**
 * Waits for turns of the event loop. After a hundred of them, everything in this process that waits
 * for nothing else has happened, however busy the machine is.
 */
export async function turnsOfTheEventLoop(count = 100): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
}
