import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import type { Job, TaskRunner } from "../../src/parallel/job.js";
import { WorkerPool } from "../../src/parallel/worker-pool.js";
import { startFakeWorker } from "../support/local-workers.js";

/** Adds the shared number to the task; rejects 13. */
const addJob: Job<number, number, { sum: number }> = {
  name: "add",
  open() {
    let shared = NaN;
    return {
      share(value) {
        shared = value;
      },
      perform(task) {
        if (task === 13) throw new Error("13 is unlucky");
        return { result: { sum: task + shared }, transfer: [] };
      },
    };
  },
};
const inputsOf = (tasks: readonly number[]) => tasks.map((task) => ({ task, transfer: [] }));

describe("a pool whose caller works", () => {
  let pool: TaskRunner;
  let byWorkers = 0;
  beforeAll(async () => {
    const { kernels } = await loadKernels({ kernels: "reference" });
    const start = () => startFakeWorker([addJob], () => byWorkers++);
    pool = await WorkerPool.open(kernels, 3, start, true);
  });
  afterAll(() => pool.close());

  test("counts the caller in its size", () => {
    expect(pool.size).toBe(3);
  });

  test("returns 200 results in order from both sides, with new shared data for each run", async () => {
    const tasks = Array.from({ length: 200 }, (_, k) => 100 + k);
    for (const shared of [1, 1000]) {
      byWorkers = 0;
      const results = await pool.run(addJob, shared, inputsOf(tasks));
      expect(results.map(({ sum }) => sum)).toEqual(tasks.map((task) => task + shared));
      expect(byWorkers).toBeGreaterThan(0);
      expect(byWorkers).toBeLessThan(200);
    }
  });

  test("names the thread that failed, and stays usable", async () => {
    // Two workers get the first tasks, the caller the third.
    await expect(pool.run(addJob, 0, inputsOf([1, 2, 13, 4]))).rejects.toThrow(
      'The calling thread failed in "add": 13 is unlucky.',
    );
    expect(await pool.run(addJob, 5, inputsOf([1]))).toEqual([{ sum: 6 }]);
  });

  test("reports every finished task, whoever did it", async () => {
    const done: number[] = [];
    const tasks = inputsOf(Array.from({ length: 50 }, (_, k) => 100 + k));
    await pool.run(addJob, 0, tasks, { onTaskDone: (index) => done.push(index) });
    expect(done.sort((a, b) => a - b)).toEqual(tasks.map((_, k) => k));
  });

  test.each([0, 1, 2, 3, 4])(
    "fails with the error of an onTaskDone that throws at task %i, and stays usable",
    async (last) => {
      const mistake = new TypeError("no such bar");
      const run = pool.run(addJob, 0, inputsOf([1, 2, 3, 4, 5, 6]), {
        onTaskDone: (index) => {
          if (index === last) throw mistake;
        },
      });
      await expect(run).rejects.toBe(mistake);
      expect(await pool.run(addJob, 5, inputsOf([1]))).toEqual([{ sum: 6 }]);
    },
  );

  test.each([0, 2, 50])(
    "stops when the signal aborts after task %i, and stays usable",
    async (last) => {
      const controller = new AbortController();
      const reason = new Error("enough");
      let done = 0;
      const tasks = inputsOf(Array.from({ length: 200 }, (_, k) => 100 + k));
      const run = pool.run(addJob, 0, tasks, {
        signal: controller.signal,
        onTaskDone: (index) => {
          done += 1;
          if (index === last) controller.abort(reason);
        },
      });
      await expect(run).rejects.toBe(reason);
      expect(done).toBeLessThan(200);
      expect(await pool.run(addJob, 5, inputsOf([1]))).toEqual([{ sum: 6 }]);
    },
  );

  test("asks a lazy list once for each task", async () => {
    const asked: number[] = [];
    const list = {
      length: 20,
      at(index: number) {
        asked.push(index);
        return { task: 100 + index, transfer: [] };
      },
    };
    await pool.run(addJob, 0, list);
    expect(asked.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, k) => k));
  });
});
