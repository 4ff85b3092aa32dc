import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FloatArray } from "../../src/kernels/kernels.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import type { Transform } from "../../src/transforms/transform.js";
import { denoiseGuided } from "../../src/denoising/guided/denoise-guided.js";
import { fitGuided } from "../../src/denoising/guided/fit-guided.js";
import { gaussianize, score } from "../../src/density/induced-density.js";
import { synthesize } from "../../src/density/synthesis.js";
import { negentropyGradient } from "../../src/training/negentropy-gradient.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { gaussianizeImage } from "../../src/density/images/image-density.js";
import { synthesizeImage } from "../../src/density/images/image-synthesis.js";
import { openRunner } from "gaussianize/node";
import { nearestPrior } from "../../node/denoising-priors.js";
import { readPatchModel } from "../../node/model-files.js";
import { createRandom } from "../../src/random/random-stream.js";
import { gdnForms, randomLayerCase } from "../support/gdn-layers.js";
import { noiseImage, smallCascade } from "../support/image-models.js";
import { noisyScene } from "../support/scenes.js";
import { seed } from "../support/seed.js";

const workerCounts = [0, 1, 2, 3, 5];
const dimensions = [1, 3, 16, 33];
/** From less than one leaf of the reduction tree to many leaves, the last one partial. */
const batchSizes = [1, 7, 50, 333];

const runners = new Map<number, TaskRunner>();

beforeAll(async () => {
  // With 2 and 5 workers, the calling thread is one of them.
  const opened = await Promise.all(
    workerCounts.map((workers) => openRunner({ workers, callerWorks: [2, 5].includes(workers) })),
  );
  opened.forEach((runner, k) => runners.set(workerCounts[k], runner));
});

afterAll(async () => {
  await Promise.all([...runners.values()].map((runner) => runner.close()));
});

type Results = Record<string, FloatArray>;

interface Given {
  readonly layer: Transform;
  readonly x: FloatArray;
}

async function computeAll(runner: TaskRunner, { layer, x }: Given): Promise<Results> {
  // Started together: the runner must keep them apart.
  const [fit, scored, normal] = await Promise.all([
    negentropyGradient(runner, layer, x),
    score(runner, layer, x),
    gaussianize(runner, layer, x),
  ]);
  const gradients = fit.gradient.flatMap((groups, stage) =>
    Object.entries(groups).map(([k, v]) => [`gradient of ${k} in stage ${stage}`, v] as const),
  );
  return {
    ...Object.fromEntries(gradients),
    "mean log-probability": Float64Array.of(fit.meanLogProb),
    "failed samples": Float64Array.of(fit.failedSamples),
    "log-probability": scored.logProb,
    score: scored.score,
    y: normal.y,
    "log-determinant": normal.logDeterminant,
  };
}

const bitsOf = (values: FloatArray): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

/** Checks that every number of workers gives the results of this thread alone. */
async function expectSameBits(compute: (runner: TaskRunner) => Promise<Results>): Promise<void> {
  const inline = await compute(runners.get(0)!);
  for (const [name, values] of Object.entries(inline)) {
    expect(values.every(Number.isFinite), name).toBe(true);
  }
  for (const workers of workerCounts.slice(1)) {
    const results = await compute(runners.get(workers)!);
    expect(Object.keys(results)).toEqual(Object.keys(inline));
    for (const [name, values] of Object.entries(inline)) {
      const same = Buffer.compare(bitsOf(values), bitsOf(results[name]));
      expect(same, `${name} with ${workers} workers differs from inline`).toBe(0);
      expect(results[name].constructor).toBe(values.constructor);
    }
  }
}

describe(`0, 1, 2, 3 and 5 workers give the same bits (seed ${seed})`, () => {
  const cases = gdnForms.flatMap((form) =>
    dimensions.flatMap((n) => batchSizes.map((count) => ({ form, n, count }))),
  );
  test.each(cases)("$form, $n dimensions, batch of $count", async ({ form, n, count }) => {
    const linear = (n + count) % 4 !== 0;
    const random = createRandom(seed, "bit identity", form, n, count);
    const given = randomLayerCase(random, { form, n, count, linear });
    await expectSameBits((runner) => computeAll(runner, given));
  });

  test.each(batchSizes)("a cascade, batch of %i", async (count) => {
    const random = createRandom(seed, "bits of a cascade", count);
    const size = { form: "general", n: 5, count, linear: true } as const;
    const { layer, x } = randomLayerCase(random, size);
    const shift = random.normalFill(new Float32Array(5));
    const tied = startingGdn({ structure: "subspace", dimension: 5, partition: [1, 0, 1, 0, 0] });
    const given = { layer: cascade([affine({ dimension: 5, shift }), tied, layer]), x };
    await expectSameBits((runner) => computeAll(runner, given));
  });

  test.each(batchSizes)("an inversion, batch of %i", async (count) => {
    const random = createRandom(seed, "bits of an inversion", count);
    const H = random.normalFill(new Float32Array(25));
    const layer = startingGdn({ structure: "column", dimension: 5, H });
    const y = random.normalFill(new Float32Array(5 * count));
    await expectSameBits(async (runner) => {
      const { x, converged, iterations, residual } = await synthesize(runner, layer, y);
      return {
        x,
        residual,
        iterations: Float64Array.from(iterations),
        converged: Float64Array.from(converged),
      };
    });
  });

  test("the density of a whole image, and its inverse", async () => {
    // 220 frequencies, a few tasks.
    const image = noiseImage(40, 44);
    await expectSameBits(async (runner) => {
      const { y, logDeterminant } = await gaussianizeImage(runner, smallCascade, image);
      const back = await synthesizeImage(runner, smallCascade, y);
      return {
        y: y.values,
        "log-determinant": Float64Array.of(logDeterminant),
        pixels: back.image.pixels,
      };
    });
  });

  test("a pool gives the same bits again after other work", async () => {
    const size = { form: "general", n: 16, count: 50, linear: true } as const;
    const given = randomLayerCase(createRandom(seed, "again"), size);
    const other = randomLayerCase(createRandom(seed, "other"), { ...size, n: 5, count: 333 });
    const pool = runners.get(3)!;
    const first = await computeAll(pool, given);
    await computeAll(pool, other);
    expect(await computeAll(pool, given)).toEqual(first);
  });
});

describe("guided densities", () => {
  test("fit and denoise with the same bits for any number of workers", async () => {
    const { clean, noisy } = noisyScene(72, 60, 0.1);
    const prior = await readPatchModel((await nearestPrior(25)).path);
    await expectSameBits(async (runner) => {
      const classes = { strengths: [0.5], coherences: 1 };
      const load = (): Promise<typeof clean> => Promise.resolve(clean);
      const guided = await fitGuided(runner, {
        prior,
        images: 1,
        load,
        classes,
        crops: 8,
        steps: 2,
      });
      const parameters = guided.experts.map(({ H, alpha }, k) => [
        [`H of ${k}`, H] as const,
        [`alpha of ${k}`, alpha] as const,
      ]);
      const { pixels } = await denoiseGuided(runner, guided, noisy, clean, { sigma: 0.1 });
      return { ...Object.fromEntries(parameters.flat()), pixels };
    });
  });
});

describe("the caller's arrays", () => {
  test.each([0, 2])("are not changed, with %i workers", async (workers) => {
    const size = { form: "column", n: 7, count: 50, linear: true } as const;
    const given = randomLayerCase(createRandom(seed, "untouched"), size);
    const before = structuredClone(given);
    await computeAll(runners.get(workers)!, given);
    expect(given).toEqual(before);
  });
});

describe("the reference kernels", () => {
  test("also give the same bits in workers", async () => {
    const size = { form: "general", n: 5, count: 50, linear: true } as const;
    const given = randomLayerCase(createRandom(seed, "reference"), size);
    const inline = await openRunner({ workers: 0, kernels: "reference" });
    const pool = await openRunner({ workers: 3, kernels: "reference" });
    // Not the sums, which the reference adds sample by sample over the whole batch.
    const ofSamples = async (runner: TaskRunner): Promise<unknown> => [
      await gaussianize(runner, given.layer, given.x),
      await score(runner, given.layer, given.x),
    ];
    expect(await ofSamples(pool)).toEqual(await ofSamples(inline));
    await Promise.all([inline.close(), pool.close()]);
  });
});

describe("the relaxed SIMD kernels", () => {
  test("load in workers, and give the same bits on the same machine", async () => {
    const size = { form: "general", n: 16, count: 50, linear: true } as const;
    const given = randomLayerCase(createRandom(seed, "relaxed"), size);
    const inline = await openRunner({ workers: 0, kernels: "relaxed-simd" });
    const pool = await openRunner({ workers: 3, kernels: "relaxed-simd" });
    expect(pool.kernels.name).toBe("relaxed-simd");
    expect(await computeAll(pool, given)).toEqual(await computeAll(inline, given));
    await Promise.all([inline.close(), pool.close()]);
  });
});
