/**
 * Rates on a shared machine, where other load can only slow us down: a rate is the best of many
 * short rounds, for us and for every peer.
 */
export interface RoundOptions {
  /** Milliseconds of one round, and of all rounds together. */
  readonly round: number;
  readonly total: number;
}

export const defaultRounds: RoundOptions = { round: 150, total: 2500 };

/** Repetitions per second of the best round. */
export async function bestRate(
  work: () => void | Promise<void>,
  { round, total }: RoundOptions = defaultRounds,
): Promise<number> {
  await work();
  let best = 0;
  for (const end = performance.now() + total; performance.now() < end;) {
    best = Math.max(best, await rateOf(work, round));
  }
  return best;
}

/** Repetitions per second over at least the given milliseconds. */
export async function rateOf(
  work: () => void | Promise<void>,
  milliseconds: number,
): Promise<number> {
  const start = performance.now();
  const repetitions = await repeatFor(work, milliseconds);
  return (1000 * repetitions) / (performance.now() - start);
}

/** Repeats for at least the given milliseconds; returns the number of repetitions. */
export async function repeatFor(
  work: () => void | Promise<void>,
  milliseconds: number,
): Promise<number> {
  const end = performance.now() + milliseconds;
  let repetitions = 0;
  do {
    await work();
    repetitions++;
  } while (performance.now() < end);
  return repetitions;
}
