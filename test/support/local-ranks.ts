/** Ranks in one process, for tests: each call waits for that of all others. */
import { type Blocks, type Ranks, blockAt } from "../../src/parallel/ranks.js";

export function localRanks(size: number): readonly Ranks[] {
  let arrived: Uint8Array[][] = [];
  let waiting: (() => void)[] = [];
  /** Everybody's blocks, once everybody has given theirs. */
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
