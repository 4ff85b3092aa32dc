/** Fits whose first steps estimate the gradient with random signs. */
import { openRunner } from "gaussianize/node";
import { describe, expect, test } from "vitest";
import { samplesOf, sharesOf } from "../../src/density/ranked-passes.js";
import { createRandom } from "../../src/random/random-stream.js";
import {
  type FitCheckpoint,
  type FitOptions,
  fitTransform,
} from "../../src/training/fit-transform.js";
import {
  type GradientEstimate,
  uncheckedNegentropyGradient,
} from "../../src/training/negentropy-gradient.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { parametersOf } from "../../src/transforms/parameters.js";
import type { Transform } from "../../src/transforms/transform.js";
import { refusal } from "../support/expect-error.js";
import { simdRunner } from "../support/inline-runners.js";
import { localRanks } from "../support/local-workers.js";
import { seed } from "../support/seed.js";

const n = 12;
const batch = 90;

/** Components of a sample share a scale, and neighbours share another: pools of every other one. */
function samplesAt(step: number, count = batch): Float32Array {
  const random = createRandom(seed, "probe fits", step);
  const x = new Float32Array(n * count);
  for (let s = 0; s < count; s++) {
    const scales = [random, random, random].map((stream) => 0.2 + 2 * Math.abs(stream.normal()));
    for (let i = 0; i < n; i++) x[s * n + i] = scales[i % 3] * random.normal();
  }
  return x;
}

const H = Float32Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0));
const layer = startingGdn({ structure: "column", dimension: n, H });
const ones = new Float32Array(n).fill(1);
const shift = affine({ dimension: n, scale: ones, shift: new Float32Array(n) });
const next = startingGdn({ structure: "column", dimension: n, H, isNearIdentity: true });
const stack = cascade([layer, shift, next]);

const steps = 24;
const validation = { x: samplesAt(1e6, 2000), every: steps };
const probes = { seed: 2 ** 31 + 5, share: 0.75 };
const options: FitOptions = { steps, validation, batchAt: samplesAt, probes };
const alone = await fitTransform(simdRunner, stack, options);

describe("a fit with probe gradients", () => {
  test.each([1, 2, 3])("has the same bits with %i worker threads", async (workers) => {
    const runner = await openRunner({ workers });
    try {
      const fit = await fitTransform(runner, stack, options);
      expect(fit.history).toEqual(alone.history);
      expect(parametersOf(fit.transform)).toEqual(parametersOf(alone.transform));
    } finally {
      await runner.close();
    }
  });

  test.each([2, 3])("has the same bits and estimates on %i ranks", async (size) => {
    const estimates: unknown[][] = [];
    const fits = await Promise.all(
      localRanks(size).map((ranks) => {
        const { first, end } = samplesOf(sharesOf(batch, size), ranks.rank);
        const own: unknown[] = [];
        estimates.push(own);
        return fitTransform(simdRunner, stack, {
          ...options,
          batchAt: (step) => samplesAt(step).subarray(first * n, end * n),
          ranked: { ranks, batch },
          onStep: (_step, _value, { estimate }) => void own.push(estimate),
        });
      }),
    );
    for (const fit of fits) {
      expect(parametersOf(fit.transform)).toEqual(parametersOf(alone.transform));
    }
    for (const own of estimates) expect(own).toEqual(estimates[0]);
  });

  test("is rejected on more ranks than joined leaves", async () => {
    const fits = localRanks(8).map((ranks) => {
      const { first, end } = samplesOf(sharesOf(batch, 8), ranks.rank);
      return fitTransform(simdRunner, stack, {
        ...options,
        batchAt: (step) => samplesAt(step).subarray(first * n, end * n),
        ranked: { ranks, batch },
      });
    });
    for (const end of await Promise.allSettled(fits)) {
      const reason: unknown = end.status === "rejected" && end.reason;
      expect(String(reason)).toMatch(/the number of ranks.*at most 3 with a batch/);
    }
  });

  test.each([7, 20])("resumes from step %i with the same bits", async (step) => {
    const kept: FitCheckpoint[] = [];
    await fitTransform(simdRunner, stack, {
      ...options,
      checkpointEvery: step,
      onCheckpoint: (checkpoint) => void kept.push(checkpoint),
    });
    expect(kept[0].step).toBe(step);
    const resumed = await fitTransform(simdRunner, kept[0], options);
    expect(parametersOf(resumed.transform)).toEqual(parametersOf(alone.transform));
  });

  test("estimates the first steps, and takes exact gradients for the rest", async () => {
    const found: (GradientEstimate | undefined)[] = [];
    const onStep: FitOptions["onStep"] = (_step, _value, { estimate }) => void found.push(estimate);
    await fitTransform(simdRunner, stack, { ...options, onStep });
    expect(found.map((estimate) => estimate !== undefined)).toEqual(
      Array.from({ length: steps }, (_, step) => step < 0.75 * steps),
    );
    for (const estimate of found.slice(0, 0.75 * steps)) {
      expect(estimate!.products).toBeGreaterThanOrEqual(4);
      expect(estimate!.residual).toBeLessThan(0.01);
    }
  });

  test("counts the products of the layers that are trained", async () => {
    const products = async (fixedStages: number) => {
      const { estimate } = await uncheckedNegentropyGradient(simdRunner, stack, samplesAt(0), {
        probes: { seed: 1 },
        fixedStages,
      });
      return estimate!.products;
    };
    // The second layer is nearly the identity: its iteration ends at the first look.
    expect(await products(2)).toBe(4);
    expect(await products(0)).toBeGreaterThanOrEqual(4);
  });

  test("other seeds give other fits, no share the exact one", async () => {
    const other = await fitTransform(simdRunner, stack, {
      ...options,
      probes: { ...probes, seed: 6 },
    });
    expect(parametersOf(other.transform)).not.toEqual(parametersOf(alone.transform));
    const exact = { steps, validation, batchAt: samplesAt };
    const none = await fitTransform(simdRunner, stack, { ...exact, probes: { seed: 1, share: 0 } });
    const { transform } = await fitTransform(simdRunner, stack, exact);
    expect(parametersOf(none.transform)).toEqual(parametersOf(transform));
  });

  test("ends where a fit with exact gradients ends, to 0.02 nats", async () => {
    const long = { ...options, steps: 400, validation: { ...validation, every: 400 } };
    const [estimated, exact] = await Promise.all([
      fitTransform(simdRunner, layer, long),
      fitTransform(simdRunner, layer, { ...long, probes: undefined }),
    ]);
    const difference = estimated.validated!.meanLogProb - exact.validated!.meanLogProb;
    expect(Math.abs(difference)).toBeLessThan(0.02);
  });

  test("a stack with a marginal layer estimates its other layer alone", async () => {
    const marginal = startingGdn({ structure: "marginal", dimension: n, H });
    const mixed = cascade([marginal, shift, next]);
    const products = async (transform: Transform) =>
      (await uncheckedNegentropyGradient(simdRunner, transform, samplesAt(0), { probes })).estimate!
        .products;
    expect(await products(mixed)).toBeGreaterThanOrEqual(4);
    expect(await products(marginal)).toBe(0);
  });

  test("rejects probes for another objective, which would ignore them", async () => {
    const objective = () => Promise.reject(new Error("not reached"));
    await expect(fitTransform(simdRunner, stack, { ...options, objective })).rejects.toThrow(
      refusal("probes", "be omitted for an objective other than the likelihood", "them"),
    );
  });

  test.each([
    ["probes.seed", { seed: -1, share: 0.5 }, "be 32 unsigned bits", -1],
    ["probes.share", { seed: 1, share: 1.5 }, "be a number from 0 to 1", 1.5],
  ] as const)("rejects an impossible %s", async (name, wrong, rule, value) => {
    await expect(fitTransform(simdRunner, stack, { ...options, probes: wrong })).rejects.toThrow(
      refusal(name, rule, value),
    );
  });
});
