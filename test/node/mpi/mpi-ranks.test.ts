/** Tests MpiRanks with a fake library. Real ones are in test/cli/fit-mpi.test.ts. */
import { describe, expect, test } from "vitest";
import type { ForeignFunction, MpiLibrary } from "../../../node/mpi/library.js";
import { MpiRanks } from "../../../node/mpi/mpi-ranks.js";
import { blocksOf } from "../../../src/parallel/ranks.js";

type Answers = Readonly<Partial<Record<string, ForeignFunction>>>;

/** Returns a library for one of two ranks. A call completes when polled `patience` times. */
function libraryOf(patience: number, answers: Answers = {}): { opened: MpiLibrary; log: string[] } {
  const log: string[] = [];
  let asked = 0;
  const setTo =
    (value: number): ForeignFunction =>
    (...values) => {
      (values.at(-1) as number[])[0] = value;
      return 0;
    };
  const usual: Answers = {
    MPI_Init_thread: setTo(1),
    MPI_Comm_rank: setTo(0),
    MPI_Comm_size: setTo(2),
    MPI_Test: (_request, isDone) => {
      asked = (asked + 1) % patience;
      (isDone as Int32Array)[0] = asked === 0 ? 1 : 0;
      return 0;
    },
  };
  const func = (definition: string): ForeignFunction => {
    const name = / \*?(\w+)\(/.exec(definition)?.[1] ?? "";
    return (...values) => {
      log.push(name);
      return (answers[name] ?? usual[name] ?? (() => 0))(...values);
    };
  };
  const symbol = (): bigint => {
    throw new Error("no such symbol");
  };
  const library = { func, symbol };
  return { opened: { library, system: library, path: "libmpi.so" }, log };
}

function joined(patience: number, answers?: Answers): { ranks: Promise<MpiRanks>; log: string[] } {
  const { opened, log } = libraryOf(patience, answers);
  return { ranks: MpiRanks.join({}, () => Promise.resolve(opened)), log };
}

const own = new Uint8Array(4);
const all = blocksOf([4, 4]);

describe("MpiRanks", () => {
  test("waits for all ranks, with naps, before bytes are moved", async () => {
    const { ranks, log } = joined(2000);
    const joinedRanks = await ranks;
    expect([joinedRanks.rank, joinedRanks.size]).toEqual([0, 2]);
    log.length = 0;
    await joinedRanks.gather(own, all);
    const steps = log.filter((name, k) => name !== log[k - 1]);
    expect(steps.filter((name) => name.startsWith("MPI_I"))).toEqual([
      "MPI_Ibarrier",
      "MPI_Iallgatherv",
    ]);
    // No naps afterwards: bytes move only while MPI is polled.
    expect(log.lastIndexOf("usleep")).toBeLessThan(log.indexOf("MPI_Iallgatherv"));
    expect(log).toContain("usleep");
  });

  test("does not block the event loop", async () => {
    const ranks = await joined(50).ranks;
    let turns = 0;
    setImmediate(() => turns++);
    const gathering = ranks.gather(own, all);
    expect(ranks.isWaiting).toBe(true);
    await gathering;
    expect(ranks.isWaiting).toBe(false);
    expect(turns).toBe(1);
  });

  test("rejects a call during another call", async () => {
    const ranks = await joined(5).ranks;
    const first = ranks.gather(own, all);
    await expect(ranks.exchange(all, all)).rejects.toThrow("during another call");
    await first;
    await expect(ranks.exchange(all, all)).resolves.toBeUndefined();
  });

  test.each([
    ["MPI_Ibarrier", "MPI_Ibarrier failed (error 17)"],
    ["MPI_Iallgatherv", "MPI_Iallgatherv failed (error 17)"],
    ["MPI_Test", "MPI_Ibarrier failed (error 17)"],
  ])("reports that %s failed, and can be called again", async (name, phrase) => {
    const ranks = await joined(1, { [name]: () => 17 }).ranks;
    await expect(ranks.gather(own, all)).rejects.toThrow(phrase);
    expect(ranks.isWaiting).toBe(false);
  });

  test("rejects a library without threads, and processes that do not see each other", async () => {
    const alone = (...values: readonly unknown[]): number => {
      (values.at(-1) as number[])[0] = 0;
      return 0;
    };
    await expect(joined(1, { MPI_Init_thread: alone }).ranks).rejects.toThrow(
      "libmpi.so does not support threads (level 0; expected 1 or more).",
    );
    const { opened } = libraryOf(1);
    const environment = { PMI_SIZE: "3", PMI_RANK: "0" };
    await expect(MpiRanks.join(environment, () => Promise.resolve(opened))).rejects.toThrow(
      "3 processes were started, but libmpi.so sees only 2",
    );
  });
});
