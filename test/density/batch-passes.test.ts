import { openRunner } from "gaussianize/node";
import { describe, expect, test, vi } from "vitest";
import { secondsOfSample } from "../../bench/cost-model.js";
import { measuredCosts } from "../../bench/measured-costs.js";
import { runBatch } from "../../src/density/batch-passes.js";
import type { TransformTask } from "../../src/density/transform-job.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import type { JobInput, TaskRunner } from "../../src/parallel/job.js";
import { createRandom } from "../../src/random/random-stream.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { startingGdn } from "../../src/transforms/gdn-start.js";
import { expectClose, expectSameBits } from "../support/expect-close.js";
import { gdnForms, randomLayerCase } from "../support/gdn-layers.js";
import { referenceRunner, simdRunner } from "../support/inline-runners.js";
import { seed } from "../support/seed.js";

interface WatchedRunner extends TaskRunner {
  /** Samples of each task, in the order in which they were handed out. */
  readonly counts: number[];
}

/**
 * A runner that claims to run `size` tasks at once, and records the sizes of its tasks.
 */
function runnerOfSize(size: number, n: number): WatchedRunner {
  const counts: number[] = [];
  return {
    size,
    counts,
    kernels: simdRunner.kernels,
    run(job, shared, inputs, options) {
      const watched = {
        length: inputs.length,
        at(index: number) {
          const input = inputs.at(index);
          const { task } = input as unknown as JobInput<TransformTask>;
          counts.push((task.pass === "synthesize" ? task.y : task.x).length / n);
          return input;
        },
      };
      return simdRunner.run(job, shared, watched, options);
    },
    close: () => Promise.resolve(),
  };
}

const everything = {
  pass: "backpropagate",
  wantsY: true,
  wantsInputGradient: true,
  wantsSums: true,
} as const;

const onlyOfSamples = { ...everything, wantsSums: false } as const;
const synthesis = {
  pass: "synthesize",
  settings: { method: "newton", tolerance: simdRunner.kernels.tolerance, maximumIterations: 100 },
} as const;

/**
 * Tasks of at most 16384 samples: these are more than two of them, whatever the number of workers.
 */
const manySamples = 40_000;
const manyNormals = createRandom(seed, "many").normalFill(new Float32Array(2 * manySamples));
const smallLayer = startingGdn({ structure: "column", dimension: 2, H: [1, 0.5, -0.5, 1] });

describe("the tasks of a runner with one thread, which may be the caller's", () => {
  // A launcher that ends a job leaves a process one second (docs/scaling.md).
  test.each([
    { dimension: 64 },
    { dimension: 256 },
    { dimension: 64, rank: 16 },
    { dimension: 256, rank: 16 },
    { dimension: 1024, rank: 16 },
    { dimension: 1024, rank: 64 },
  ])("take less than half a second by measured costs: %o", async ({ dimension, rank }) => {
    const structure = rank === undefined ? "column" : "low-rank";
    const size = { dimension, ...(rank !== undefined && { rank }) };
    const layer = startingGdn({ structure, ...size });
    const count = 4096;
    const stop = new Error("the tasks are not wanted");
    let tasks = 0;
    const runner: TaskRunner = {
      size: 1,
      kernels: simdRunner.kernels,
      run: (_job, _shared, inputs) => {
        tasks = inputs.length;
        return Promise.reject(stop);
      },
      close: () => Promise.resolve(),
    };
    const request = { ...everything, x: new Float32Array(count * dimension), upstream: null };
    await expect(runBatch(runner, layer, request)).rejects.toBe(stop);
    const seconds = (count / tasks) * secondsOfSample(measuredCosts, { ...size, batch: count });
    expect(seconds).toBeLessThan(0.5);
  });
});

describe(`runBatch (seed ${seed})`, () => {
  test.each(gdnForms)("gives the same bits for any split of the batch (%s)", async (form) => {
    for (const count of [1, 7, 50, 333]) {
      const random = createRandom(seed, "cuts", form, count);
      const { layer, x, upstream } = randomLayerCase(random, { form, n: 5, count, linear: true });
      const all: TransformTask = { ...everything, x, upstream };
      const whole = await runBatch(simdRunner, layer, all);
      expect(whole.y?.length).toBe(x.length);
      expect(whole.xGradient?.length).toBe(x.length);
      for (const size of [1, 2, 3, 4, 7, 16, 64]) {
        const runner = runnerOfSize(size, 5);
        expect(await runBatch(runner, layer, all)).toEqual(whole);
        expect(runner.counts.reduce((sum, part) => sum + part, 0)).toBe(count);
        // One part per worker, if there are as many leaves of at least 8 samples.
        expect(runner.counts.length).toBeGreaterThanOrEqual(Math.min(size, Math.ceil(count / 32)));
      }
    }
  });

  test("gives the same bits of a cascade, in both directions, for any split of the batch", async () => {
    const [n, count] = [5, 333];
    const random = createRandom(seed, "cuts of a cascade");
    const { layer, x, upstream } = randomLayerCase(random, {
      form: "general",
      n,
      count,
      linear: true,
    });
    const shift = random.normalFill(new Float32Array(n));
    const tied = startingGdn({ structure: "subspace", dimension: n, partition: [0, 1, 0, 1, 1] });
    const stages = cascade([affine({ dimension: n, shift }), tied, layer]);
    const requests: TransformTask[] = [
      { ...everything, x, upstream },
      { ...everything, x, upstream: null },
      { pass: "gaussianize", x, wantsY: true },
    ];
    for (const request of requests) {
      const whole = await runBatch(simdRunner, stages, request);
      for (const size of [2, 3, 7, 64]) {
        expect(await runBatch(runnerOfSize(size, n), stages, request)).toEqual(whole);
      }
    }
  });

  test("gives the same bits of an inversion for any split of the batch", async () => {
    const y = createRandom(seed, "inversion").normalFill(new Float32Array(2 * 333));
    const whole = await runBatch(simdRunner, smallLayer, { ...synthesis, y });
    expect([...whole.converged!].every((value) => value === 1)).toBe(true);
    for (const size of [2, 3, 7, 64]) {
      const parts = await runBatch(runnerOfSize(size, 2), smallLayer, { ...synthesis, y });
      expect(parts).toEqual(whole);
    }
  });

  test("uses the derivative of ½‖y‖² without an upstream gradient", async () => {
    const random = createRandom(seed, "upstream");
    const size = { form: "general", n: 4, count: 20, linear: true } as const;
    const { layer, x } = randomLayerCase(random, size);
    const request = {
      ...everything,
      x,
      upstream: null,
      wantsInputGradient: false,
      wantsSums: false,
    } as const;
    const without = await runBatch(referenceRunner, layer, request);
    const upstream = without.y!;
    const given = await runBatch(referenceRunner, layer, { ...request, upstream });
    expect(given).toEqual(without);
    const allOf = (of: FloatArray | null): Promise<unknown> =>
      runBatch(referenceRunner, layer, { ...everything, x, upstream: of });
    expect(await allOf(upstream)).toEqual(await allOf(null));
  });

  test("returns only what was requested", async () => {
    const random = createRandom(seed, "asked for");
    const size = { form: "column", n: 3, count: 20, linear: false } as const;
    const { layer, x } = randomLayerCase(random, size);
    const pass = await runBatch(simdRunner, layer, { pass: "gaussianize", x, wantsY: false });
    expect([pass.y, pass.xGradient, pass.sums, pass.x]).toEqual([null, null, null, null]);
    const back = await runBatch(simdRunner, layer, {
      pass: "backpropagate",
      x,
      upstream: null,
      wantsY: false,
      wantsInputGradient: false,
      wantsSums: false,
    });
    expect([back.y, back.xGradient, back.sums, back.x]).toEqual([null, null, null, null]);
    expectClose(pass.logDeterminant!, back.logDeterminant!, { relative: 1e-5, scale: 1 });
    const inverse = await runBatch(simdRunner, layer, { ...synthesis, y: x });
    const { y, logDeterminant, energy, failedStage, failedComponent } = inverse;
    const unasked = [y, logDeterminant, energy, failedStage, failedComponent, inverse.sums];
    expect(unasked).toEqual(unasked.map(() => null));
    expect(inverse.x?.length).toBe(x.length);
  });

  test("does not modify its input arrays", async () => {
    const size = { form: "general", n: 4, count: 50, linear: true } as const;
    const given = randomLayerCase(createRandom(seed, "given"), size);
    const before = structuredClone(given);
    const { layer, x, upstream } = given;
    await runBatch(runnerOfSize(4, 4), layer, { ...everything, x, upstream });
    expect(given).toEqual(before);
  });
});

/** Runs on 0 workers, which is this thread, and on 2. */
const workerCounts = [0, 2];

async function withWorkers<T>(
  workers: number,
  use: (runner: TaskRunner) => Promise<T>,
): Promise<T> {
  const runner = await openRunner({ workers });
  return use(runner).finally(() => runner.close());
}

describe("a large batch", () => {
  test("is split into tasks of at most 16384 samples, even for one worker", async () => {
    const runner = runnerOfSize(1, 2);
    await runBatch(runner, smallLayer, { ...onlyOfSamples, x: manyNormals, upstream: null });
    expect(Math.max(...runner.counts)).toBeLessThanOrEqual(16384);
    expect(runner.counts.reduce((sum, part) => sum + part, 0)).toBe(manySamples);
  });

  test("makes smaller tasks if a sample costs more", async () => {
    const n = 200; // 10⁹ operations are 125 samples
    const runner = runnerOfSize(1, n);
    const layer = startingGdn({ structure: "column", dimension: n });
    const x = createRandom(seed, "wide").normalFill(new Float32Array(n * 600));
    await runBatch(runner, layer, { pass: "gaussianize", x, wantsY: false });
    expect(runner.counts.length).toBeGreaterThanOrEqual(5);
    // Without elimination they cost less, and are not split.
    const other = runnerOfSize(1, n);
    const marginal = startingGdn({ structure: "marginal", dimension: n });
    await runBatch(other, marginal, { pass: "gaussianize", x, wantsY: false });
    expect(other.counts).toEqual([600]);
  });

  test("copies samples only when a task is handed out", async () => {
    const x = manyNormals.slice();
    const cut = vi.spyOn(x, "slice");
    const copies: number[] = [];
    const onProgress = (): void => void copies.push(cut.mock.calls.length);
    await runBatch(simdRunner, smallLayer, { ...onlyOfSamples, x, upstream: null }, { onProgress });
    expect(copies.length).toBeGreaterThanOrEqual(3);
    expect(copies).toEqual(copies.map((_, k) => k + 1));
  });

  test.each(workerCounts)(
    "tells its progress up to all samples, with %i workers",
    async (workers) => {
      const told: [number, number][] = [];
      await withWorkers(workers, (runner) =>
        runBatch(
          runner,
          smallLayer,
          { pass: "gaussianize", x: manyNormals, wantsY: false },
          { onProgress: (done, total) => told.push([done, total]) },
        ),
      );
      const done = told.map(([value]) => value);
      expect(told.length).toBeGreaterThanOrEqual(3);
      expect(done).toEqual([...done].sort((a, b) => a - b));
      expect(new Set(done).size).toBe(done.length);
      expect(done.at(-1)).toBe(manySamples);
      expect(told.every(([, total]) => total === manySamples)).toBe(true);
    },
  );

  test.each(workerCounts)(
    "stops half-way where the signal aborts, with %i workers, and the runner goes on",
    async (workers) => {
      await withWorkers(workers, async (runner) => {
        const controller = new AbortController();
        const reason = new Error("enough");
        let samplesDone = 0;
        const running = runBatch(
          runner,
          smallLayer,
          // Many times more tasks than workers.
          { pass: "gaussianize", x: new Float32Array(2 * 16384 * 20).fill(1), wantsY: false },
          {
            signal: controller.signal,
            onProgress(done) {
              samplesDone = done;
              controller.abort(reason);
            },
          },
        );
        await expect(running).rejects.toBe(reason);
        expect(samplesDone).toBeGreaterThan(0);
        expect(samplesDone).toBeLessThan(16384 * 10);
        const request = { ...onlyOfSamples, x: manyNormals, upstream: null };
        const after = await runBatch(runner, smallLayer, request);
        const expected = await runBatch(simdRunner, smallLayer, request);
        expectSameBits(after.y!, expected.y!, "y");
        expectSameBits(after.logDeterminant!, expected.logDeterminant!, "log-determinant");
        expectSameBits(after.xGradient!, expected.xGradient!, "gradient of x");
      });
    },
  );

  test.each(workerCounts)(
    "fails with the error of an onProgress that throws, with %i workers",
    async (workers) => {
      await withWorkers(workers, async (runner) => {
        const mistake = new TypeError("the bar is full");
        const request = { pass: "gaussianize", x: manyNormals, wantsY: false } as const;
        const onProgress = (): never => {
          throw mistake;
        };
        await expect(runBatch(runner, smallLayer, request, { onProgress })).rejects.toBe(mistake);
        expect((await runBatch(runner, smallLayer, request)).energy?.length).toBe(manySamples);
      });
    },
  );
});
