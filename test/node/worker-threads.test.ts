import { afterEach, describe, expect, test } from "vitest";
import { openRunner } from "gaussianize/node";
import { startWorker } from "../../node/worker-threads.js";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import type { WorkerHandle } from "../../src/parallel/messages.js";
import { WorkerPool } from "../../src/parallel/worker-pool.js";
import { expectError, refusal } from "../support/expect-error.js";
import {
  deadlyJob,
  moveJob,
  multiplyJob,
  refusingJob,
  resendingJob,
  throwingJob,
  unknownJob,
  unsendableJob,
} from "../support/workers/jobs.mjs";

const moduleNamed = (name: string): URL => new URL(`../support/workers/${name}`, import.meta.url);
const inputs = <Task>(...tasks: Task[]) => tasks.map((task) => ({ task, transfer: [] }));

const opened: WorkerPool[] = [];
let handles: WorkerHandle[] = [];

async function openPool(size: number, module = "odd-jobs.mjs"): Promise<WorkerPool> {
  handles = [];
  const pool = await WorkerPool.open(referenceKernels, size, (index) => {
    handles[index] = startWorker(moduleNamed(module));
    return handles[index];
  });
  opened.push(pool);
  return pool;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((pool) => pool.close()));
});

/** Checks that the pool still gives correct results. */
async function expectUsable(pool: WorkerPool): Promise<void> {
  const tasks = inputs({ value: 1 }, { value: 2 }, { value: 3 }, { value: 4 }, { value: 5 });
  expect(await pool.run(multiplyJob, { factor: 3 }, tasks)).toEqual([3, 6, 9, 12, 15]);
}

describe("a pool of worker threads", () => {
  test("returns the results of 1000 small tasks in order", async () => {
    const pool = await openPool(3);
    const values = Array.from({ length: 1000 }, (_, k) => k);
    const tasks = inputs(...values.map((value) => ({ value })));
    const results = await pool.run(multiplyJob, { factor: 2 }, tasks);
    expect(results).toEqual(values.map((value) => 2 * value));
  });

  test("returns results in order when the first tasks take longest", async () => {
    const pool = await openPool(3);
    const values = [0, 1, 2, 3, 4, 5, 6, 7];
    const tasks = inputs(...values.map((value) => ({ value, milliseconds: 16 - 2 * value })));
    expect(await pool.run(multiplyJob, { factor: 1 }, tasks)).toEqual(values);
  });

  test("queues runs, each with its own shared data", async () => {
    const pool = await openPool(2);
    const tasks = inputs({ value: 1, milliseconds: 5 }, { value: 2 }, { value: 3 });
    const runs = [2, 3, 5, 7].map((factor) => pool.run(multiplyJob, { factor }, tasks));
    expect(await Promise.all(runs)).toEqual([
      [2, 4, 6],
      [3, 6, 9],
      [5, 10, 15],
      [7, 14, 21],
    ]);
  });

  test("transfers buffers", async () => {
    const pool = await openPool(1);
    const values = Float64Array.of(1, 2);
    const run = pool.run(moveJob, null, [{ task: values, transfer: [values.buffer] }]);
    expect(values.length).toBe(0);
    expect(await run).toEqual([Float64Array.of(-1, -2)]);
  });
});

describe("a failed job leaves the pool usable and names worker and job", () => {
  test("a task that throws", async () => {
    const pool = await openPool(1);
    const tasks = inputs(...Array.from({ length: 20 }, (_, k) => ({ fails: k % 3 === 1 })));
    await expect(pool.run(throwingJob, null, tasks)).rejects.toThrow(
      /^Worker 1 failed in "throwing": the sky is too low\.$/,
    );
    await expectUsable(pool);
  });

  test("a task that throws in every worker gives one error", async () => {
    const pool = await openPool(3);
    const tasks = inputs(...Array.from({ length: 20 }, () => ({ fails: true })));
    await expect(pool.run(throwingJob, null, tasks)).rejects.toThrow(/the sky is too low/);
    await expectUsable(pool);
  });

  test("shared data that a job rejects", async () => {
    const pool = await openPool(2);
    await expect(pool.run(refusingJob, { refused: true }, inputs(1, 2, 3))).rejects.toThrow(
      /^Worker [12] failed in "refusing": there is no room for this\.$/,
    );
    expect(await pool.run(refusingJob, { refused: false }, inputs(1, 2, 3))).toEqual([1, 2, 3]);
    await expectUsable(pool);
  });

  test("a job that no worker knows", async () => {
    const pool = await openPool(2);
    await expect(pool.run(unknownJob, null, inputs(1, 2))).rejects.toThrow(
      /^Worker [12] failed in "unknown": unknown job "unknown"\.$/,
    );
    await expectUsable(pool);
  });

  test("a result that cannot be sent", async () => {
    const pool = await openPool(1);
    await expect(pool.run(unsendableJob, null, inputs(1))).rejects.toThrow(
      'Worker 1 failed in "unsendable": () => task could not be cloned.',
    );
    await expectUsable(pool);
  });

  test("a task that cannot be sent", async () => {
    const pool = await openPool(1);
    const task = { value: (() => 1) as unknown as number };
    await expect(pool.run(multiplyJob, { factor: 1 }, inputs(task))).rejects.toThrow(
      'Worker 1 could not be sent a task of "multiply": () => 1 could not be cloned.',
    );
    await expectUsable(pool);
  });
});

/** Node 20 sends a detached buffer, which cannot be read; later versions throw. */
const sendsMovedBuffers = (() => {
  const { port1 } = new MessageChannel();
  const values = new ArrayBuffer(8);
  port1.postMessage(values, [values]);
  try {
    port1.postMessage(values, [values]);
    return true;
  } catch {
    return false;
  } finally {
    port1.close();
  }
})();

function sameBufferTwice() {
  const values = Float64Array.of(1);
  return Array.from({ length: 2 }, () => ({ task: values, transfer: [values.buffer] }));
}

describe.skipIf(sendsMovedBuffers)("a detached buffer is rejected", () => {
  test("by the worker that sends it", async () => {
    const pool = await openPool(1);
    await expect(pool.run(resendingJob, null, inputs(1, 2, 3))).rejects.toThrow(
      /^Worker 1 failed in "resending": .+\.$/,
    );
    await expectUsable(pool);
  });

  test("by the pool that sends it", async () => {
    const pool = await openPool(1);
    await expect(pool.run(moveJob, null, sameBufferTwice())).rejects.toThrow(
      /^Worker 1 could not be sent a task of "move": .+\.$/,
    );
    await expectUsable(pool);
  });
});

describe("a worker that dies rejects the current and all later runs", () => {
  async function expectBroken(
    pool: TaskRunner,
    runs: readonly Promise<unknown>[],
    phrase: string,
  ): Promise<void> {
    const outcomes = await Promise.allSettled(runs);
    const later = await Promise.allSettled([pool.run(multiplyJob, { factor: 1 }, [])]);
    for (const outcome of [...outcomes, ...later]) {
      const reason = (outcome as PromiseRejectedResult).reason as unknown;
      expect(reason).toMatchObject({ name: "GaussianizeError", code: "worker-failed" });
      expect(String(reason)).toContain(phrase);
    }
    await pool.close();
    await pool.close();
  }

  test("by process.exit()", async () => {
    const pool = await openPool(1);
    const runs = [
      pool.run(deadlyJob, null, inputs("nothing", "exit", "nothing", "nothing")),
      pool.run(multiplyJob, { factor: 1 }, inputs({ value: 1 })),
    ];
    await expectBroken(pool, runs, "exit code 3");
  });

  test("by an uncaught exception", async () => {
    const pool = await openPool(1);
    const tasks = ["throw later", ...Array.from({ length: 20 }, () => "nothing" as const)] as const;
    const runs = [
      pool.run(deadlyJob, null, inputs(...tasks)),
      pool.run(multiplyJob, { factor: 1 }, inputs({ value: 1 })),
    ];
    await expectBroken(pool, runs, "out of the blue");
  });

  test("by being terminated from outside", async () => {
    const pool = await openPool(2);
    const runs = [pool.run(deadlyJob, null, inputs("nothing", "loop forever", "nothing"))];
    await handles[1].terminate();
    await expectBroken(pool, runs, "exit code 1");
  });

  test.runIf(sendsMovedBuffers)("because it sent a message that cannot be read", async () => {
    const pool = await openPool(1);
    const runs = [pool.run(resendingJob, null, inputs(1, 2, 3))];
    await expectBroken(pool, runs, "Worker 1 sent a message that could not be read.");
  });

  test.runIf(sendsMovedBuffers)("because it was sent a message that cannot be read", async () => {
    const runner = await openRunner({ workers: 1, kernels: "reference" });
    // The job does not matter: the second message never reaches it.
    const run = runner.run(moveJob, null, sameBufferTwice());
    await expectBroken(
      runner,
      [run],
      "Worker 1 crashed: it received a message that could not be read.",
    );
  });

  test("between two runs", async () => {
    const pool = await openPool(2);
    await expectUsable(pool);
    await handles[0].terminate();
    await expectBroken(pool, [], "exit code 1");
  });
});

describe("close", () => {
  test("rejects a run that would never end", async () => {
    const pool = await openPool(2);
    const tasks = inputs("nothing", "loop forever", "loop forever");
    const runs: Promise<unknown>[] = [];
    await new Promise<void>((resolve) => {
      const onTaskDone = (): void => {
        resolve();
      };
      runs.push(pool.run(deadlyJob, null, tasks, { onTaskDone }));
      runs.push(pool.run(multiplyJob, { factor: 1 }, inputs({ value: 1 })));
    });
    const outcomes = Promise.allSettled(runs);
    await pool.close();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ reason: { code: "interrupted" } });
    }
  });

  test("may be called again", async () => {
    const pool = await openPool(2);
    await Promise.all([pool.close(), pool.close()]);
    await pool.close();
    const run = pool.run(multiplyJob, { factor: 1 }, inputs({ value: 1 }));
    await expectError(run, { code: "interrupted" });
  });
});

describe("workers that fail to start reject open", () => {
  test.each([
    {
      module: "does-not-exist.mjs",
      message: /^Worker [12] crashed: Cannot find module '.*does-not-exist\.mjs'/,
    },
    {
      module: "throws-at-import.mjs",
      message: /^Worker [12] crashed: this module cannot be loaded\.$/,
    },
    {
      module: "exits-at-start.mjs",
      message: /exit code 7/,
    },
  ])("$module", async ({ module, message }) => {
    await expect(openPool(2, module)).rejects.toThrow(message);
  });
});

describe("openRunner", () => {
  test.each([-1, 1.5, 1025, 5000, NaN, Infinity])("rejects %o workers", async (workers) => {
    await expectError(openRunner({ workers }), {
      code: "invalid-argument",
      argument: "workers",
      phrase: "1024",
    });
  });

  test("rejects unknown kernels", async () => {
    await expect(openRunner({ workers: 1, kernels: "magic" as never })).rejects.toThrow(
      refusal("kernels", "be one of reference, simd, relaxed-simd", "magic"),
    );
  });

  test.each([
    { workers: 0, size: 1 },
    { workers: 1, size: 1 },
    { workers: 2, size: 2 },
  ])("$workers workers run $size tasks at a time", async ({ workers, size }) => {
    const runner = await openRunner({ workers, kernels: "reference" });
    expect(runner.size).toBe(size);
    expect(runner.kernels.name).toBe("reference");
    await runner.close();
  });

  test("opens one worker per core with SIMD kernels by default", async () => {
    const { availableParallelism } = await import("node:os");
    const runner = await openRunner();
    expect(runner.size).toBe(availableParallelism());
    expect(runner.kernels.name).toBe("simd");
    await runner.close();
  });
});
