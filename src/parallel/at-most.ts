/**
 * Keeps the number of things that are under way at once within bounds: open files, pictures that
 * are being decoded.
 */
export type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** A gate that lets `most` works through at a time, in the order in which they came. */
export function atMost(most: number): Gate {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running < most) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      // Who waits takes the place of the one that leaves.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
