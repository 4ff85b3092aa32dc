/** Fits on several ranks, here in one process. */
import { describe, expect, test } from "vitest";
import { samplesOf, sharesOf } from "../../src/density/ranked-passes.js";
import { GaussianizeError } from "../../src/errors.js";
import { createRandom } from "../../src/random/random-stream.js";
import { type ModelFitOptions, fitModel } from "../../src/training/fit-model.js";
import {
  type FitCheckpoint,
  type FitOptions,
  fitTransform,
} from "../../src/training/fit-transform.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { parametersOf } from "../../src/transforms/parameters.js";
import { LonelyFailure, StoppedTogether } from "../../src/parallel/agreement.js";
import type { Ranks } from "../../src/parallel/ranks.js";
import { simdRunner } from "../support/inline-runners.js";
import { localRanks, turnsOfTheEventLoop } from "../support/local-workers.js";
import { refusal } from "../support/expect-error.js";
import { seed } from "../support/seed.js";

const n = 5;
const batch = 83;
const samplesAt = (step: number, count = batch): Float32Array => {
  const random = createRandom(seed, "ranked", step);
  const x = random.normalFill(new Float64Array(n * count));
  return Float32Array.from(x, (value, k) => value * (1 + (k % n) / 3) * (0.3 + ((k * 7) % 11) / 5));
};
const validation = { x: samplesAt(1e6, 200), every: 5 };
const H = Float32Array.from({ length: n * n }, (_, k) =>
  k % (n + 1) === 0 ? 1 : 0.1 * ((k % 3) - 1),
);
const layer = startingGdn({ structure: "general", dimension: n, H });
const shift = affine({
  dimension: n,
  scale: new Float32Array(n).fill(1.1),
  shift: new Float32Array(n).fill(0.1),
});
const start = cascade([layer, shift, layer]);
const steps = 20;

function shareAt(ranks: Ranks): FitOptions["batchAt"] {
  const { first, end } = samplesOf(sharesOf(batch, ranks.size), ranks.rank);
  return (step) => samplesAt(step).subarray(first * n, end * n);
}

const optionsOf = (ranks: Ranks, more: Partial<FitOptions> = {}): FitOptions => ({
  steps,
  validation,
  batchAt: shareAt(ranks),
  ranked: { ranks, batch },
  ...more,
});

/** A rank that receives a changed sum in one step. */
function driftingIn(step: number, ranks: Ranks): Ranks {
  let [exchanges, isNext] = [0, false];
  // They follow the samples of rank 0, of 40 bytes each.
  const { end } = samplesOf(sharesOf(batch, ranks.size), 0);
  return {
    rank: ranks.rank,
    size: ranks.size,
    exchange: (send, receive) => {
      isNext = exchanges++ === step;
      return ranks.exchange(send, receive);
    },
    gather: async (own, all) => {
      await ranks.gather(own, all);
      if (isNext) all.bytes[40 * end + 2] ^= 0x40;
      isNext = false;
    },
  };
}

const alone = await fitTransform(simdRunner, start, { steps, validation, batchAt: samplesAt });

describe("a fit on ranks", () => {
  test.each([1, 2, 3, 4, 7])("gives the bits of one process on %i ranks", async (size) => {
    const fits = await Promise.all(
      localRanks(size).map((ranks) => fitTransform(simdRunner, start, optionsOf(ranks))),
    );
    for (const fit of fits) {
      expect(fit.history).toEqual(alone.history);
      expect(fit.validated).toEqual(alone.validated);
      expect(parametersOf(fit.transform)).toEqual(parametersOf(alone.transform));
    }
  });

  test("rejects more ranks than work", async () => {
    const [ranks] = localRanks(12);
    await expect(fitTransform(simdRunner, start, optionsOf(ranks))).rejects.toThrow(
      refusal(
        "the number of ranks",
        "be at most 11 with a batch of 83 (each needs at least 8 samples)",
        12,
      ),
    );
  });

  test("stops all ranks at the same step, with a checkpoint to resume from", async () => {
    const controller = new AbortController();
    const kept: FitCheckpoint[] = [];
    const fits = localRanks(3).map((ranks) =>
      fitTransform(
        simdRunner,
        start,
        optionsOf(ranks, {
          ...(ranks.rank === 1 && { signal: controller.signal }),
          onStep: (step) => {
            if (step === 7 && ranks.rank === 1) controller.abort(new Error("enough"));
          },
          onCheckpoint: (checkpoint) => void kept.push(checkpoint),
        }),
      ),
    );
    const ends = await Promise.allSettled(fits);
    for (const end of ends) {
      expect(end.status === "rejected" && end.reason).toBeInstanceOf(StoppedTogether);
    }
    expect(kept.map(({ step }) => step)).toEqual([8, 8, 8]);
    // On another number of ranks.
    const [first] = await Promise.all(
      localRanks(2).map((ranks) => fitTransform(simdRunner, kept[0], optionsOf(ranks))),
    );
    expect(parametersOf(first.transform)).toEqual(parametersOf(alone.transform));
  });

  test("fails on all ranks with the reason of the rank that failed", async () => {
    const fits = localRanks(3).map((ranks) => {
      const share = shareAt(ranks);
      const batchAt: FitOptions["batchAt"] = (step) => {
        if (ranks.rank === 2 && step === 4)
          throw new GaussianizeError("worker-failed", "The disk is gone.");
        return share(step);
      };
      return fitTransform(simdRunner, start, optionsOf(ranks, { batchAt }));
    });
    const ends = await Promise.allSettled(fits);
    for (const end of ends) {
      expect(end.status === "rejected" && (end.reason as Error).message).toBe(
        "Rank 2: The disk is gone.",
      );
    }
  });

  test.each([
    { drift: 0, every: 5, found: 5, kept: [0] },
    { drift: 11, every: 5, found: 15, kept: [10] },
    // After the last validation but one, and with validations that come too late.
    { drift: 17, every: 8, found: steps, kept: [16] },
    { drift: 11, every: undefined, found: 12, kept: [11] },
  ])(
    "ends where ranks have come to other numbers in step $drift, keeping what they agreed upon",
    async ({ drift, every, found, kept }) => {
      const checkpoints: FitCheckpoint[] = [];
      const looks = every === undefined ? {} : { validation: { ...validation, every } };
      const fits = localRanks(2).map((ranks) => {
        const isDrifting = ranks.rank === 1;
        const { validation: usual, ...options } = optionsOf(
          isDrifting ? driftingIn(drift, ranks) : ranks,
        );
        expect(usual).toBe(validation);
        return fitTransform(simdRunner, start, {
          ...options,
          ...looks,
          onCheckpoint: (checkpoint) => {
            if (!isDrifting) checkpoints.push(checkpoint);
          },
        });
      });
      const message = `Rank 1 has other parameters after ${found} steps than rank 0.`;
      for (const end of await Promise.allSettled(fits)) {
        expect(end).toMatchObject({ reason: { message } });
      }
      expect(checkpoints.map(({ step }) => step)).toEqual(kept);
      const fit = await fitTransform(simdRunner, checkpoints[0], {
        steps,
        batchAt: samplesAt,
        ...looks,
      });
      expect(parametersOf(fit.transform)).toEqual(parametersOf(alone.transform));
    },
  );

  test.each([0, 1])("fails on all ranks if rank %i cannot keep the last step", async (who) => {
    const controller = new AbortController();
    const fits = localRanks(2).map((ranks) =>
      fitTransform(
        simdRunner,
        start,
        optionsOf(ranks, {
          signal: ranks.rank === 1 ? controller.signal : new AbortController().signal,
          onStep: (step) => {
            if (step === 3 && ranks.rank === 1) controller.abort(new Error("enough"));
          },
          onCheckpoint: () => {
            if (ranks.rank === who)
              throw new GaussianizeError("worker-failed", "The disk is full.");
          },
        }),
      ),
    );
    const message = who === 0 ? "The disk is full." : "Rank 1: The disk is full.";
    for (const end of await Promise.allSettled(fits)) {
      expect(end).toMatchObject({ status: "rejected", reason: { message } });
    }
  });

  test.each(["onStep", "onValidation"])("fails on all ranks if %s fails on one", async (name) => {
    const fail = (): never => {
      throw new GaussianizeError("worker-failed", "Nobody looks.");
    };
    const fits = localRanks(2).map((ranks) => {
      const own =
        name === "onStep"
          ? { onStep: fail }
          : { validation: { ...validation, onValidation: fail } };
      return fitTransform(simdRunner, start, optionsOf(ranks, ranks.rank === 1 ? own : {}));
    });
    for (const end of await Promise.allSettled(fits)) {
      expect(end).toMatchObject({ reason: { message: "Rank 1: Nobody looks." } });
    }
  });

  test("keeps the last sound step of a rank that cannot reach the others", async () => {
    const kept: number[] = [];
    const [own] = localRanks(1);
    let calls = 0;
    const gather: Ranks["gather"] = (...values) =>
      ++calls > 20
        ? Promise.reject(new GaussianizeError("worker-failed", "MPI failed."))
        : own.gather(...values);
    const ranks = { ...own, gather };
    const onCheckpoint = ({ step }: FitCheckpoint): void => void kept.push(step);
    const fit = fitTransform(simdRunner, start, optionsOf(ranks, { onCheckpoint }));
    await expect(fit).rejects.toBeInstanceOf(LonelyFailure);
    expect(kept).toHaveLength(1);
    expect(kept[0]).toBeGreaterThan(3);
  });

  test("abandons a fit that waits for another rank, with the last sound step", async () => {
    const controller = new AbortController();
    const kept: FitCheckpoint[] = [];
    const [here, there] = localRanks(2);
    const reason = new Error("a rank died");
    const mute = (): Promise<Float32Array> => {
      void turnsOfTheEventLoop().then(() => {
        // The other rank cannot continue.
        controller.abort(reason);
      });
      return new Promise(() => undefined);
    };
    const share = shareAt(there);
    void fitTransform(
      simdRunner,
      start,
      optionsOf(there, { batchAt: (step) => (step === 6 ? mute() : share(step)) }),
    );
    const waiting = fitTransform(
      simdRunner,
      start,
      optionsOf(here, {
        abandonment: controller.signal,
        onCheckpoint: (checkpoint) => void kept.push(checkpoint),
      }),
    );
    await expect(waiting).rejects.toBe(reason);
    expect(kept.map(({ step }) => step)).toEqual([4]);
    const fit = await fitTransform(simdRunner, kept[0], { steps, validation, batchAt: samplesAt });
    expect(parametersOf(fit.transform)).toEqual(parametersOf(alone.transform));
  });
});

describe("fitModel on ranks", () => {
  test("gives the bits of one process with images in lanes", async () => {
    const loads: number[] = [0, 0, 0];
    const optionsFor = (who: number): ModelFitOptions => ({
      model: "gdn",
      images: 40,
      load: (index, round) => {
        loads[who]++;
        const random = createRandom(seed, "image", index, round);
        const pixels = Float32Array.from({ length: 400 }, () => 0.1 + 0.8 * random.uniform());
        return Promise.resolve({ width: 20, height: 20, pixels, source: `image ${index}` });
      },
      reading: { luminance: "grey", dequantize: true, layout: { size: 2, removeMean: false } },
      preprocessing: "standardize",
      steps: 700,
      batch: 64,
      window: 16,
      heldOut: 0,
      seed,
    });
    const { fit: whole } = await fitModel(simdRunner, optionsFor(2));
    const fits = await Promise.all(
      localRanks(2).map((ranks) => fitModel(simdRunner, { ...optionsFor(ranks.rank), ranks })),
    );
    for (const { fit } of fits) {
      expect(parametersOf(fit.transform)).toEqual(parametersOf(whole.transform));
    }
    // Each rank loads only the images of its part.
    expect(Math.max(loads[0], loads[1])).toBeLessThan(loads[2]);
  });
});

describe("checkpoints by time", () => {
  test.each([
    {
      often: { checkpointSeconds: 1e-9 },
      expected: Array.from({ length: steps - 1 }, (_, k) => k + 1),
    },
    // The duration of a checkpoint is known only after the first.
    { often: { checkpointShare: 1e-12 }, expected: [1, steps - 1] },
  ])("$often does not change the fit", async ({ often, expected }) => {
    const kept: number[] = [];
    const fit = await fitTransform(simdRunner, start, {
      steps,
      validation,
      batchAt: samplesAt,
      ...often,
      onCheckpoint: ({ step }) => void kept.push(step),
    });
    expect(kept).toEqual(expected);
    expect(parametersOf(fit.transform)).toEqual(parametersOf(alone.transform));
  });
});

test.each([2, 3])("a closed form has the same bits on %i ranks as on one", async (size) => {
  const dimension = 40;
  const samples = (step: number): Float32Array =>
    createRandom(seed, "ranked-radial", step).normalFill(new Float32Array(96 * dimension));
  const radial = startingGdn({ structure: "radial", dimension });
  const alone = await fitTransform(simdRunner, radial, { steps: 4, batchAt: samples });
  const fits = localRanks(size).map((ranks) => {
    const { first, end } = samplesOf(sharesOf(96, size), ranks.rank);
    return fitTransform(simdRunner, radial, {
      steps: 4,
      batchAt: (step) => samples(step).subarray(first * dimension, end * dimension),
      ranked: { ranks, batch: 96 },
    });
  });
  for (const fit of await Promise.all(fits)) {
    expect(parametersOf(fit.transform)).toEqual(parametersOf(alone.transform));
  }
});
