/**
 * Processes that work on one fit, each with its own memory, on one machine or on many. All of them
 * call the same operations in the same order; nothing else is shared. Who carries the bytes is an
 * adapter's business (node/mpi/).
 */
export interface Ranks {
  /** Of this process, from 0. */
  readonly rank: number;
  readonly size: number;
  /**
   * Block k of `send` goes to rank k, whose block for this rank comes into block k of `receive`.
   */
  exchange(send: Blocks, receive: Blocks): Promise<void>;
  /** The bytes of rank k come into block k of `all`, at every rank. */
  gather(own: Uint8Array, all: Blocks): Promise<void>;
}

/** Bytes in blocks, one after the other, one for each rank. Made once, and used for many calls. */
export interface Blocks {
  readonly bytes: Uint8Array;
  /** In bytes. */
  readonly lengths: Int32Array;
  readonly offsets: Int32Array;
}

/** Of what one message may hold: counts have 32 bits in MPI. */
const mostBytes = 2 ** 31 - 1;

export function blocksOf(lengths: readonly number[]): Blocks {
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (total > mostBytes) {
    throw new RangeError(`ranks exchange at most ${mostBytes} bytes at once, not ${total}`);
  }
  const offsets = new Int32Array(lengths.length);
  for (let k = 1; k < lengths.length; k++) offsets[k] = offsets[k - 1] + lengths[k - 1];
  return { bytes: new Uint8Array(total), lengths: Int32Array.from(lengths), offsets };
}

export function blockAt({ bytes, lengths, offsets }: Blocks, k: number): Uint8Array {
  return bytes.subarray(offsets[k], offsets[k] + lengths[k]);
}

/**
 * Messages of any length, of all ranks; most often nobody has anything to say, and that costs 4
 * bytes each.
 */
export async function gatherMessages(ranks: Ranks, own: Uint8Array): Promise<Uint8Array[]> {
  const lengths = blocksOf(new Array<number>(ranks.size).fill(4));
  await ranks.gather(new Uint8Array(Uint32Array.of(own.length).buffer), lengths);
  const counts = Array.from(new Uint32Array(lengths.bytes.buffer));
  const all = blocksOf(counts);
  if (all.bytes.length > 0) await ranks.gather(own, all);
  return counts.map((_, k) => blockAt(all, k));
}
