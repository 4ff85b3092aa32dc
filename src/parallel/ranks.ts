/**
 * Processes that work on one fit, each with its own memory, on one machine or on many. All of them
 * call the same operations in the same order. An adapter transfers the bytes (node/mpi/).
 */
export interface Ranks {
  /** Number of this process, from 0. */
  readonly rank: number;
  readonly size: number;
  /** Sends block k of `send` to rank k; block k of `receive` comes from rank k. */
  exchange(send: Blocks, receive: Blocks): Promise<void>;
  /** Copies the bytes of rank k to block k of `all`, at every rank. */
  gather(own: Uint8Array, all: Blocks): Promise<void>;
}

/** Consecutive blocks of bytes, one per rank; can be reused. */
export interface Blocks {
  readonly bytes: Uint8Array;
  /** Lengths and offsets in bytes. */
  readonly lengths: Int32Array;
  readonly offsets: Int32Array;
}

/** Largest message: counts have 32 bits in MPI. */
const mostBytes = 2 ** 31 - 1;

export function blocksOf(lengths: readonly number[]): Blocks {
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (total > mostBytes) {
    throw new RangeError(
      `Cannot exchange ${total} bytes at once: ranks exchange at most ${mostBytes}.`,
    );
  }
  const offsets = new Int32Array(lengths.length);
  for (let k = 1; k < lengths.length; k++) offsets[k] = offsets[k - 1] + lengths[k - 1];
  return { bytes: new Uint8Array(total), lengths: Int32Array.from(lengths), offsets };
}

export function blockAt({ bytes, lengths, offsets }: Blocks, k: number): Uint8Array {
  return bytes.subarray(offsets[k], offsets[k] + lengths[k]);
}

/** Returns a message of any length from each rank. An empty message costs 4 bytes. */
export async function gatherMessages(ranks: Ranks, own: Uint8Array): Promise<Uint8Array[]> {
  const lengths = blocksOf(new Array<number>(ranks.size).fill(4));
  await ranks.gather(new Uint8Array(Uint32Array.of(own.length).buffer), lengths);
  const counts = Array.from(new Uint32Array(lengths.bytes.buffer));
  const all = blocksOf(counts);
  if (all.bytes.length > 0) await ranks.gather(own, all);
  return counts.map((_, k) => blockAt(all, k));
}
