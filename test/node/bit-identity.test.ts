import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type FloatArray,
  type GdnGradient,
  type TaskRunner,
  gaussianize,
  negentropyGradient,
  score,
} from "gaussianize";
import { openRunner } from "gaussianize/node";
import { createRandom } from "../../src/random/random-stream.js";
import { gdnForms, randomCase } from "../support/gdn-cases.js";
import { seed } from "../support/seed.js";

const workerCounts = [0, 1, 2, 3, 5];
const dimensions = [1, 3, 16, 33];
/** From less than a leaf of the reduction tree to many leaves, the last of them not full. */
const batchSizes = [1, 7, 50, 333];

const runners = new Map<number, TaskRunner>();

beforeAll(async () => {
  // The caller is one of 2 and of 5 workers, and waits for the others' pools.
  const opened = await Promise.all(
    workerCounts.map((workers) => openRunner({ workers, callerWorks: [2, 5].includes(workers) })),
  );
  opened.forEach((runner, k) => runners.set(workerCounts[k], runner));
});

afterAll(async () => {
  await Promise.all([...runners.values()].map((runner) => runner.close()));
});

type Results = Record<string, FloatArray | null>;

async function computeAll(
  runner: TaskRunner,
  { parameters, x }: Pick<ReturnType<typeof randomCase>, "parameters" | "x">,
): Promise<Results> {
  // Started together: the runner must keep the three apart.
  const [fit, scored, normal] = await Promise.all([
    negentropyGradient(runner, parameters, x),
    score(runner, parameters, x),
    gaussianize(runner, parameters, x),
  ]);
  const gradient: GdnGradient = fit.gradient;
  return {
    ...Object.fromEntries(
      Object.entries(gradient).map(([k, v]) => [`gradient of ${k}`, v as null]),
    ),
    "mean log-probability": Float64Array.of(fit.meanLogProb),
    "failed samples": Float64Array.of(fit.failedSamples),
    "log-probability": scored.logProb,
    score: scored.score,
    y: normal.y,
    "log-determinant": normal.logDeterminant,
  };
}

const bitsOf = (values: FloatArray | null): Uint8Array | null =>
  values && new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

describe(`0, 1, 2, 3 and 5 workers give the same bits (seed ${seed})`, () => {
  const cases = gdnForms.flatMap((form) =>
    dimensions.flatMap((n) => batchSizes.map((count) => ({ form, n, count }))),
  );
  test.each(cases)("$form, $n dimensions, batch of $count", async ({ form, n, count }) => {
    const linear = (n + count) % 4 !== 0;
    const random = createRandom(seed, "bit identity", form, n, count);
    const given = randomCase(random, { form, n, count, linear });
    const inline = await computeAll(runners.get(0)!, given);
    for (const values of Object.values(inline)) {
      expect(values?.every(Number.isFinite) ?? true).toBe(true);
    }
    for (const workers of workerCounts.slice(1)) {
      const results = await computeAll(runners.get(workers)!, given);
      expect(Object.keys(results)).toEqual(Object.keys(inline));
      for (const [name, values] of Object.entries(inline)) {
        const same = Buffer.compare(
          bitsOf(values) ?? Buffer.alloc(0),
          bitsOf(results[name]) ?? Buffer.alloc(0),
        );
        expect(same, `${name} with ${workers} workers differs from inline`).toBe(0);
        expect(results[name]?.constructor).toBe(values?.constructor);
      }
    }
  });

  test("a pool gives the same bits again after other work", async () => {
    const size = { form: "general", n: 16, count: 50, linear: true } as const;
    const given = randomCase(createRandom(seed, "again"), size);
    const other = randomCase(createRandom(seed, "other"), { ...size, n: 5, count: 333 });
    const pool = runners.get(3)!;
    const first = await computeAll(pool, given);
    await computeAll(pool, other);
    expect(await computeAll(pool, given)).toEqual(first);
  });
});

describe("the caller's arrays", () => {
  test.each([0, 2])("stay as they were, with %i workers", async (workers) => {
    const size = { form: "column", n: 7, count: 50, linear: true } as const;
    const given = randomCase(createRandom(seed, "untouched"), size);
    const before = structuredClone(given);
    await computeAll(runners.get(workers)!, given);
    expect(given).toEqual(before);
  });
});

describe("the reference kernels", () => {
  test("also give the same bits in workers", async () => {
    const size = { form: "general", n: 5, count: 50, linear: true } as const;
    const given = randomCase(createRandom(seed, "reference"), size);
    const inline = await openRunner({ workers: 0, kernels: "reference" });
    const pool = await openRunner({ workers: 3, kernels: "reference" });
    // Not the sums: the reference adds sample by sample over all it is given at once.
    const ofSamples = async (runner: TaskRunner): Promise<unknown> => [
      await gaussianize(runner, given.parameters, given.x),
      await score(runner, given.parameters, given.x),
    ];
    expect(await ofSamples(pool)).toEqual(await ofSamples(inline));
    await Promise.all([inline.close(), pool.close()]);
  });
});

describe("the relaxed SIMD kernels", () => {
  test("load in workers too, and give the same bits on the same machine", async () => {
    const size = { form: "general", n: 16, count: 50, linear: true } as const;
    const given = randomCase(createRandom(seed, "relaxed"), size);
    const inline = await openRunner({ workers: 0, kernels: "relaxed-simd" });
    const pool = await openRunner({ workers: 3, kernels: "relaxed-simd" });
    expect(pool.kernels.name).toBe("relaxed-simd");
    expect(await computeAll(pool, given)).toEqual(await computeAll(inline, given));
    await Promise.all([inline.close(), pool.close()]);
  });
});
