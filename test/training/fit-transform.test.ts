import { beforeAll, describe, expect, test } from "vitest";
import { openRunner } from "gaussianize/node";
import type { TransformShared } from "../../src/density/transform-job.js";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { createRandom } from "../../src/random/random-stream.js";
import { type FitCheckpoint, fitTransform } from "../../src/training/fit-transform.js";
import { negentropyGradient } from "../../src/training/negentropy-gradient.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { type GdnStructure, gdnStructures } from "../../src/transforms/gdn-structures.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { type Gdn, gdn } from "../../src/transforms/gdn.js";
import { linear } from "../../src/transforms/linear.js";
import { parametersOf } from "../../src/transforms/parameters.js";
import { checkedTransform } from "../../src/transforms/checked-transform.js";
import type { Stage, Transform } from "../../src/transforms/transform.js";
import { expectError, refusal } from "../support/expect-error.js";
import { isNeverCertified, largestExponentProduct } from "../support/gdn-layers.js";

const n = 4;
let runner: InlineRunner;
beforeAll(async () => {
  runner = new InlineRunner((await loadKernels()).kernels);
});

/**
 * Gaussian scale mixtures, the data that GDN is made for: all components of a sample share a random
 * variance.
 */
function scaleMixture(step: number, count = 128): Float32Array {
  const random = createRandom(1, "scale-mixture", step);
  const x = new Float32Array(n * count);
  for (let s = 0; s < count; s++) {
    const scale = 0.2 + 2 * Math.abs(random.normal());
    for (let i = 0; i < n; i++) x[s * n + i] = scale * random.normal();
  }
  return x;
}

const identity = Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0));
const startOf = <S extends GdnStructure>(structure: S): Gdn<S> =>
  startingGdn({
    structure,
    dimension: n,
    H: identity,
    ...(structure === "subspace" ? { partition: [0, 1, 0, 1] } : {}),
    ...(structure === "low-rank" ? { rank: 2 } : {}),
  });
const fitFrom = (start: Gdn, steps: number) =>
  fitTransform(runner, start, { steps, batchAt: scaleMixture });

const held = scaleMixture(-1, 4000);
const likelihood = async (transform: Transform, x = held): Promise<number> =>
  (await negentropyGradient(runner, transform, x)).meanLogProb;

/** Reports the stages of every batch before it is computed. */
function watchedRunner(onStages: (stages: readonly Stage[]) => void): TaskRunner {
  return {
    size: runner.size,
    kernels: runner.kernels,
    run(job, shared, inputs, options) {
      onStages((shared as TransformShared).stages);
      return runner.run(job, shared, inputs, options);
    },
    close: () => Promise.resolve(),
  };
}

describe("fitTransform", () => {
  const eightFits = { timeout: 20_000 };
  test(
    "raises the likelihood of data it has not seen, and pooling beats none on a scale mixture",
    eightFits,
    async () => {
      const after: Partial<Record<GdnStructure, number>> = {};
      for (const structure of gdnStructures) {
        const start = startOf(structure);
        // Scales are all that classic normalization can fit, and those of the start are the best
        // for this data.
        const from =
          structure === "classic" ? gdn({ ...start, H: start.H!.map((h) => h / 4) }) : start;
        const before = await likelihood(from);
        const { transform } = await fitFrom(from, 300);
        expect(transform.structure).toBe(structure);
        // The result is a valid transform.
        expect(checkedTransform(transform)).toEqual(transform);
        after[structure] = await likelihood(transform);
        expect(after[structure], structure).toBeGreaterThan(before + 0.01);
      }
      for (const structure of ["column", "general", "radial", "lp", "low-rank"] as const) {
        expect(after[structure], structure).toBeGreaterThan(after.marginal! + 0.1);
      }
      // Two small pools know less of the common variance than one of all, but more than none.
      expect(after.subspace).toBeGreaterThan(after.marginal! + 0.05);
      expect(after.radial).toBeGreaterThan(after.subspace!);
    },
  );

  test("requires steps and batchAt", async () => {
    const fit = (options: object) =>
      fitTransform(runner, startOf("column"), options as Parameters<typeof fitTransform>[2]);
    await expectError(fit({ batchAt: scaleMixture }), {
      code: "invalid-argument",
      argument: "steps",
    });
    await expect(fit({ steps: 3 })).rejects.toThrow(refusal("batchAt", "be a function", undefined));
  });

  test("lets timers run in the calling thread, so that it can be aborted", async () => {
    const signal = AbortSignal.timeout(150);
    const fit = fitTransform(runner, startOf("column"), {
      steps: 1_000_000,
      batchAt: scaleMixture,
      signal,
    });
    await expect(fit).rejects.toThrow(/timeout/i);
  });

  test("ends with the reason of a signal that aborts, between two steps", async () => {
    const stop = new AbortController();
    const seen: number[] = [];
    const running = fitTransform(runner, startOf("column"), {
      steps: 100,
      batchAt: scaleMixture,
      signal: stop.signal,
      onStep: (step) => {
        seen.push(step);
        if (step === 4) stop.abort();
      },
    });
    await expect(running).rejects.toThrow(/abort/i);
    expect(seen).toEqual([0, 1, 2, 3, 4]);
  });

  test("keeps about a hundred entries of its history", async () => {
    const { history } = await fitFrom(startOf("marginal"), 250);
    expect(history).toHaveLength(84);
    expect(history.at(-1)?.step).toBe(249);
    expect(history[83].meanLogProb).toBeGreaterThan(history[0].meanLogProb);
  });

  test.each(["column", "general"] as const)(
    "goes on from a checkpoint as if nothing had happened (%s)",
    async (structure) => {
      const checkpoints: FitCheckpoint<Gdn>[] = [];
      const options = {
        steps: 60,
        batchAt: (step: number) => Promise.resolve(scaleMixture(step)),
        // So large that some steps are rolled back.
        learningRate: 0.3,
        checkpointEvery: 7,
      };
      const whole = await fitTransform(runner, startOf(structure), {
        ...options,
        onCheckpoint: (checkpoint) => void checkpoints.push(checkpoint),
      });
      expect(checkpoints.length).toBeGreaterThanOrEqual(6);
      for (const checkpoint of checkpoints) {
        const resumed = await fitTransform(runner, structuredClone(checkpoint), options);
        expect(resumed).toEqual(whole);
      }
    },
  );

  test("resumes from a checkpoint only with the same optimiser and enough steps", async () => {
    const checkpoints: FitCheckpoint<Gdn>[] = [];
    const options = { steps: 8, batchAt: (step: number) => scaleMixture(step) };
    await fitTransform(runner, startOf("column"), {
      ...options,
      checkpointEvery: 5,
      onCheckpoint: (checkpoint) => void checkpoints.push(checkpoint),
    });
    const resumed = (more: object) => fitTransform(runner, checkpoints[0], { ...options, ...more });
    await expectError(resumed({ steps: 4 }), {
      code: "invalid-argument",
      argument: "steps",
      phrase: "at least 5",
    });
    await expectError(resumed({ optimiser: "sgd" }), {
      code: "invalid-argument",
      argument: "optimiser",
      phrase: "adam",
    });
  });

  test("gives the same bits twice", async () => {
    const [a, b] = [await fitFrom(startOf("column"), 20), await fitFrom(startOf("column"), 20)];
    expect(a.transform).toEqual(b.transform);
  });

  test("does not change the parameters it starts from", async () => {
    const start = startOf("column");
    const before = structuredClone(start);
    await fitTransform(runner, start, { steps: 3, batchAt: scaleMixture });
    expect(start).toEqual(before);
  });

  test.each([
    { what: "a linear transform", start: linear({ dimension: 2, H: Float32Array.of(1, 0, 0, 1) }) },
    {
      what: "a layer",
      start: gdn({
        structure: "radial",
        dimension: 2,
        H: Float32Array.of(1, 0, 0, 1),
        beta: Float32Array.of(1),
        gamma: Float32Array.of(0),
        epsilon: Float32Array.of(0),
      }),
    },
  ])("takes back a step that makes H singular ($what)", async ({ start }) => {
    const random = createRandom(1, "large and correlated");
    const x = new Float32Array(2 * 64);
    for (let s = 0; s < 64; s++) {
      const common = random.normal();
      x[2 * s] = 3 * common + random.normal();
      x[2 * s + 1] = 3 * common + random.normal();
    }
    // Every entry of H moves by 0.5 in the first step, to [0.5, −0.5; −0.5, 0.5].
    const learningRate = 50;
    const seen: number[][] = [];
    const watched = watchedRunner(([stage]) => seen.push([...(stage as Gdn).H!]));
    const values: number[] = [];
    const { transform, rejectedSteps } = await fitTransform(watched, start, {
      steps: 1,
      learningRate,
      batchAt: () => x,
      onStep: (_, value) => values.push(value),
    });
    expect(seen[1]).toEqual([0.5, -0.5, -0.5, 0.5]);
    expect(rejectedSteps).toBe(1);
    expect(values.every(Number.isFinite)).toBe(true);
    expect(transform).toEqual(start);
    // With time for another step, half as long.
    const longer = await fitTransform(runner, start, {
      steps: 40,
      learningRate,
      batchAt: () => x,
    });
    expect(longer.rejectedSteps).toBeGreaterThanOrEqual(1);
    expect(await likelihood(longer.transform, x)).toBeGreaterThan(await likelihood(start, x));
  });

  test("rolls back a step that loses invertibility, and continues with usable samples", async () => {
    const start = startOf("general");
    // Off the diagonal α ε = 2.7: far from the origin the Jacobian is not positive definite.
    const alpha = start.alpha.map((value, k) => (k % (n + 1) === 0 ? value : 6));
    const values: number[] = [];
    const { transform, rejectedSteps } = await fitTransform(runner, gdn({ ...start, alpha }), {
      steps: 12,
      batchAt: (step) => {
        const batch = scaleMixture(step).map((value) => 0.1 * value);
        return step === 6 ? batch.fill(30, 0, n) : batch;
      },
      onStep: (_, value) => values.push(value),
    });
    expect(rejectedSteps).toBe(1);
    expect(values).toHaveLength(12);
    expect(values.every(Number.isFinite)).toBe(true);
    const groups = Object.entries(parametersOf(transform)[0]);
    expect(groups.map(([name]) => name)).toEqual(["H", "alpha", "beta", "gamma", "epsilon"]);
    for (const [name, group] of groups) expect(group.every(Number.isFinite), name).toBe(true);
  });

  test("ends with a clear error if no step helps", async () => {
    const start = startOf("general");
    const alpha = start.alpha.map((value, k) => (k % (n + 1) === 0 ? value : 6));
    const fitting = fitTransform(runner, gdn({ ...start, alpha }), {
      steps: 50,
      batchAt: () => new Float32Array(8 * n).fill(30),
    });
    await expect(fitting).rejects.toThrow("The fit failed after 0 steps");
  });

  test("passes on an error of batchAt, though a batch is under way", async () => {
    const pool = await openRunner({ workers: 1 });
    const fitting = fitTransform(pool, startOf("column"), {
      steps: 5,
      batchAt: (step) => {
        if (step === 2) throw new Error("no more data");
        return scaleMixture(step);
      },
    }).finally(() => pool.close());
    await expect(fitting).rejects.toThrow("no more data");
  });

  test.each([
    [{ steps: NaN }, refusal("steps", "be an integer of at least 1", NaN)],
    [{ steps: 0 }, refusal("steps", "be an integer of at least 1", 0)],
    [{ learningRate: NaN }, refusal("learningRate", "be a positive number", NaN)],
  ])("rejects %o", async (options, message) => {
    const start = startOf("column");
    const fitting = fitTransform(runner, start, { steps: 5, batchAt: scaleMixture, ...options });
    await expect(fitting).rejects.toThrow(message);
  });

  describe.each(gdnStructures.filter((structure) => !isNeverCertified(structure)))(
    "a certified fit of %s",
    (structure) => {
      test("keeps q = max ε_i α_ij below 1 at every step, and still raises the likelihood", async () => {
        const products: number[] = [];
        const watched = watchedRunner(([stage]) =>
          products.push(largestExponentProduct(stage as Gdn)),
        );
        const start = startOf(structure);
        const { transform } = await fitTransform(watched, start, {
          steps: 150,
          batchAt: scaleMixture,
          learningRate: 0.1,
          certified: true,
        });
        expect(products.length).toBeGreaterThan(150);
        expect(Math.max(...products)).toBeLessThan(1);
        expect(largestExponentProduct(transform)).toBeLessThan(1);
        expect(await likelihood(transform)).toBeGreaterThan((await likelihood(start)) + 0.01);
      });
    },
  );

  test("is certified from the first batch on, for any start", async () => {
    const start = startOf("general");
    const alpha = start.alpha.map((value, k) => (k % (n + 1) === 0 ? value : 3));
    const products: number[] = [];
    const watched = watchedRunner(([stage]) => products.push(largestExponentProduct(stage as Gdn)));
    const outside = gdn({ ...start, alpha });
    expect(largestExponentProduct(outside)).toBeGreaterThan(1.3);
    const options = { steps: 60, batchAt: (step: number) => scaleMixture(step).map((x) => x / 4) };
    await fitTransform(watched, outside, { ...options, certified: true });
    expect(products.length).toBeGreaterThan(60);
    expect(Math.max(...products)).toBeLessThan(1);
    // Not requested here.
    const { transform } = await fitTransform(runner, outside, options);
    expect(largestExponentProduct(transform)).toBeGreaterThan(1);
  });

  test("fits an affine stage before a layer, which beats the layer alone where the data has a mean", async () => {
    const mean = Float32Array.of(3, -2, 1, 4);
    const shifted = (step: number, count?: number): Float32Array =>
      scaleMixture(step, count).map((value, k) => value + mean[k % n]);
    const layer = startOf("radial");
    const ones = new Float32Array(n).fill(1);
    const moved = affine({ dimension: n, scale: ones, shift: new Float32Array(n) });
    const options = { steps: 400, batchAt: shifted, learningRate: 0.1 };
    const alone = await fitTransform(runner, layer, options);
    const both = await fitTransform(runner, cascade([moved, layer]), options);
    const heldOut = shifted(-1, 4000);
    expect(await likelihood(both.transform, heldOut)).toBeGreaterThan(
      (await likelihood(alone.transform, heldOut)) + 0.5,
    );
    // The point that goes to 0 is the mean.
    const [{ scale, shift }] = parametersOf(both.transform);
    for (let i = 0; i < n; i++) expect(Math.abs(-shift[i] / scale[i] - mean[i])).toBeLessThan(0.2);
    expect(both.transform.stages.map(({ kind }) => kind)).toEqual(["affine", "gdn"]);
  });

  test("gives the same bits with 2 workers as with none", async () => {
    const pool = await openRunner({ workers: 2 });
    const options = { steps: 8, batchAt: scaleMixture };
    const start = startOf("general");
    const inWorkers = await fitTransform(pool, start, options).finally(() => pool.close());
    expect(inWorkers.transform).toEqual((await fitTransform(runner, start, options)).transform);
  });

  test("keeps fixed stages to the bit, and moves the others", async () => {
    const shift = affine({ dimension: n, shift: Float32Array.of(0.1, 0, -0.2, 0) });
    const start = cascade([startOf("column"), shift, startOf("marginal")]);
    const before = structuredClone(start);
    const options = { steps: 20, batchAt: scaleMixture, fixedStages: 2, whitening: identity };
    const { transform } = await fitTransform(runner, start, options);
    expect(transform.stages.slice(0, 2)).toEqual(before.stages.slice(0, 2));
    expect(transform.stages[2]).not.toEqual(before.stages[2]);
    for (const fixedStages of [3, -1, 0.5]) {
      const refused = fitTransform(runner, start, { ...options, fixedStages });
      await expectError(refused, { code: "invalid-argument", argument: "fixedStages" });
    }
  });

  test("counts and rates the steps of a phase from its first one", async () => {
    const seen: number[] = [];
    const options = { batchAt: (step: number) => scaleMixture(step % 100) };
    const alone = await fitTransform(runner, startOf("column"), { ...options, steps: 30 });
    const phase = await fitTransform(runner, startOf("column"), {
      ...options,
      steps: 130,
      firstStep: 100,
      onStep: (step) => seen.push(step),
    });
    expect(seen).toEqual(Array.from({ length: 30 }, (_, k) => 100 + k));
    expect(phase.transform).toEqual(alone.transform);
    const refused = fitTransform(runner, startOf("column"), { ...options, steps: 5, firstStep: 5 });
    await expectError(refused, { code: "invalid-argument", argument: "firstStep" });
  });
});
