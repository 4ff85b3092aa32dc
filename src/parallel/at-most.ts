/** Runs work as soon as a place is free: limits open files, or pictures being decoded. */
export type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Returns a gate that runs at most `most` pieces of work at a time, first come, first served. */
export function atMost(most: number): Gate {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running < most) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
