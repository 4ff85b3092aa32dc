/** Exchanges between ranks, in which any rank may report a failure; here in one process. */
import { describe, expect, test } from "vitest";
import { GaussianizeError, UsageError } from "../../src/errors.js";
import {
  AgreedError,
  LonelyFailure,
  StoppedTogether,
  agree,
  gatherGifts,
  gatherValues,
  onFirst,
  requireAlike,
  share,
  told,
} from "../../src/parallel/agreement.js";
import type { Ranks } from "../../src/parallel/ranks.js";
import { localRanks } from "../support/local-workers.js";

const bytes = Uint8Array.of(1, 2, 0, 255);
const meetings: Readonly<Record<string, (ranks: Ranks) => Promise<unknown>>> = {
  agree: async (ranks) => {
    if (await agree(ranks, {})) throw new StoppedTogether();
  },
  gatherGifts: (ranks) => gatherGifts(ranks),
  gatherValues: (ranks) => gatherValues(ranks, [`left out by ${ranks.rank}`]),
  share: (ranks) => share(ranks, bytes),
  onFirst: (ranks) => onFirst(ranks, () => Promise.resolve({ steps: 7 })),
  requireAlike: (ranks) => requireAlike(ranks, "the same", "has another text"),
};
const interruption = new Error("SIGINT");
const reasons = {
  failure: new UsageError("The disk is full."),
  stop: interruption,
};

/** Ranks that count their exchanges. */
function countedRanks(size: number): {
  readonly ranks: readonly Ranks[];
  readonly calls: number[];
} {
  const calls = new Array<number>(size).fill(0);
  const ranks = localRanks(size).map((own): Ranks => {
    const count = (call: Promise<void>): Promise<void> => {
      calls[own.rank]++;
      return call;
    };
    return {
      ...own,
      exchange: (send, receive) => count(own.exchange(send, receive)),
      gather: (mine, all) => count(own.gather(mine, all)),
    };
  });
  return { ranks, calls };
}

/** Like a command: one exchange, another one, and a last one however that ends. */
async function commandOf(ranks: Ranks, work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
    await gatherGifts(ranks);
    return undefined;
  } catch (error) {
    const failure = await told(ranks, error, interruption);
    await gatherGifts(ranks);
    return failure;
  }
}

const cases = Object.keys(meetings).flatMap((name) =>
  (["failure", "stop"] as const).flatMap((what) => [0, 1].map((who) => ({ name, what, who }))),
);

describe("an exchange of ranks", () => {
  test.each(cases)("$name: a $what of rank $who reaches all ranks", async ({ name, what, who }) => {
    const { ranks, calls } = countedRanks(3);
    const ends = await Promise.all(
      ranks.map((own) =>
        commandOf(own, () =>
          own.rank === who ? Promise.reject(reasons[what]) : meetings[name](own),
        ),
      ),
    );
    for (const end of ends) {
      if (what === "stop") expect(end).toBeInstanceOf(StoppedTogether);
      else {
        const message = who === 0 ? "The disk is full." : "Rank 1: The disk is full.";
        expect(end).toBeInstanceOf(AgreedError);
        expect(end).toMatchObject({ message, exitCode: 2 });
      }
    }
    // Lengths and data, and the lengths of the last exchange, without data.
    expect(calls).toEqual([3, 3, 3]);
  });

  test.each([0, 1])("a failure takes precedence over a request to stop at rank %i", async (who) => {
    const ends = await Promise.all(
      localRanks(2).map((own) =>
        told(own, own.rank === who ? interruption : reasons.failure, interruption),
      ),
    );
    for (const end of ends) expect((end as Error).message).toContain("The disk is full.");
  });

  test("returns the data of each rank, whatever its first byte", async () => {
    const gifts = [Uint8Array.of(2, 123), new Uint8Array(0), Uint8Array.of(1)];
    const found = await Promise.all(localRanks(3).map((own) => gatherGifts(own, gifts[own.rank])));
    for (const all of found) expect(all).toEqual(gifts);
    const shared = await Promise.all(localRanks(3).map((own) => share(own, bytes)));
    expect(shared).toEqual([bytes, bytes, bytes]);
    const firsts = await Promise.all(
      localRanks(3).map((own) => onFirst(own, () => Promise.resolve({ rank: own.rank }))),
    );
    expect(firsts).toEqual([{ rank: 0 }, { rank: 0 }, { rank: 0 }]);
  });

  test("ends with the same error at all ranks if one text differs", async () => {
    const ends = await Promise.allSettled(
      localRanks(3).map((own) =>
        requireAlike(own, own.rank === 2 ? "b" : "a", "finds other images"),
      ),
    );
    for (const end of ends) {
      expect(end).toMatchObject({ reason: { message: "Rank 2 finds other images than rank 0." } });
    }
    const counted = await Promise.allSettled(
      localRanks(2).map((own) =>
        requireAlike(own, String(own.rank), "finds other images", `${7 - own.rank} images`),
      ),
    );
    const message = "Rank 1 finds other images than rank 0: 6 images; rank 0: 7 images.";
    for (const end of counted) expect(end).toMatchObject({ reason: { message } });
  });

  test("is not repeated if the ranks cannot reach each other", async () => {
    const [own] = localRanks(2);
    let calls = 0;
    const broken: Ranks = {
      ...own,
      gather: () => {
        calls++;
        return Promise.reject(new GaussianizeError("worker-failed", "MPI_Allgatherv failed."));
      },
    };
    const error: unknown = await agree(broken, {}).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(LonelyFailure);
    expect(await told(broken, error, interruption)).toBe(error);
    expect(calls).toBe(1);
  });
});
