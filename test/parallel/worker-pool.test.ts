import { describe, expect, test, vi } from "vitest";
import type { GaussianizeError } from "../../src/errors.js";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import type { Job, JobInput, TaskList } from "../../src/parallel/job.js";
import { WorkerPool } from "../../src/parallel/worker-pool.js";
import { expectError } from "../support/expect-error.js";
import { type FakeTeam, FakeWorker, openFakePool, openPoolOf } from "./fake-workers.js";

/** Only the name matters, because the fakes do no work. */
const job: Job<string, unknown, unknown> = {
  name: "work",
  open: () => {
    throw new Error("the pool does no work itself");
  },
};

const inputs = (count: number): JobInput<unknown>[] =>
  Array.from({ length: count }, (_, k) => ({ task: `task ${k}`, transfer: [] }));

const messageOf = async (run: Promise<unknown>): Promise<string> => {
  try {
    await run;
  } catch (error) {
    expect((error as Error).name).toBe("GaussianizeError");
    return (error as GaussianizeError).message;
  }
  return "no error";
};

/** Current state of a promise. */
const stateOf = async (run: Promise<unknown>): Promise<unknown> => {
  let state: unknown = "pending";
  const settle = (outcome: unknown): void => {
    state = outcome;
  };
  run.then(settle, settle);
  await new Promise(setImmediate);
  return state;
};

describe("assigning tasks", () => {
  test("gives every worker a first task before any gets a second, and at most two", async () => {
    const { pool, workers } = await openFakePool(3);
    void pool.run(job, "shared", inputs(10));
    expect(workers.map((worker) => worker.taskIds)).toEqual([
      [0, 3],
      [1, 4],
      [2, 5],
    ]);
    workers[1].done(1, null);
    expect(workers.map((worker) => worker.taskIds)).toEqual([
      [0, 3],
      [1, 4, 6],
      [2, 5],
    ]);
  });

  test("sends shared data once per run to each worker, before its first task", async () => {
    const { pool, workers } = await openFakePool(3);
    const first = pool.run(job, "first", inputs(2));
    workers[0].done(0, null);
    workers[1].done(1, null);
    await first;
    void pool.run(job, "second", inputs(5));
    expect(workers.map((worker) => worker.types)).toEqual([
      ["start", "share", "task", "share", "task", "task"],
      ["start", "share", "task", "share", "task", "task"],
      ["start", "share", "task"],
    ]);
    expect(workers[0].received[1]).toEqual({ type: "share", job: "work", shared: "first" });
    expect(workers[0].received[3]).toEqual({ type: "share", job: "work", shared: "second" });
  });

  test("keeps the process alive only while a run is in progress or waits", async () => {
    const { pool, workers } = await openFakePool(2);
    const states = () => workers.map(({ isKeptAlive }) => isKeptAlive);
    expect(states()).toEqual([false, false]);
    const [first, second] = [pool.run(job, "", inputs(1)), pool.run(job, "", inputs(1))];
    expect(states()).toEqual([true, true]);
    workers[0].done(0, "one");
    await first;
    expect(states()).toEqual([true, true]);
    workers[0].done(0, "two");
    expect(await second).toEqual(["two"]);
    expect(states()).toEqual([false, false]);
  });

  test("tells workers to load the caller's kernels", async () => {
    const { workers, pool } = await openFakePool(1);
    expect(pool.kernels).toBe(referenceKernels);
    expect(pool.size).toBe(1);
    expect(workers[0].received).toEqual([{ type: "start", kernels: "reference" }]);
  });

  test("returns results in the order of the tasks, whatever the order of the answers", async () => {
    const { pool, workers } = await openFakePool(2);
    const run = pool.run(job, "shared", inputs(4));
    workers[1].done(1, "b");
    workers[1].done(3, "d");
    workers[0].done(0, "a");
    workers[0].done(2, "c");
    expect(await run).toEqual(["a", "b", "c", "d"]);
  });

  test("a run without tasks returns no results, at once or in its turn", async () => {
    const { pool, workers } = await openFakePool(2);
    expect(await pool.run(job, "shared", [])).toEqual([]);
    const busy = pool.run(job, "shared", inputs(1));
    const empty = pool.run(job, "shared", []);
    expect(await stateOf(empty)).toBe("pending");
    workers[0].done(0, 1);
    expect(await busy).toEqual([1]);
    expect(await empty).toEqual([]);
  });

  test("starts a second run when the first has all its answers", async () => {
    const { pool, workers } = await openFakePool(2);
    const first = pool.run(job, "first", inputs(1));
    const second = pool.run(job, "second", inputs(2));
    expect(workers[1].types).toEqual(["start"]);
    workers[0].done(0, "one");
    expect(workers.map((worker) => worker.taskIds)).toEqual([[0, 0], [1]]);
    workers[0].done(0, "two");
    workers[1].done(1, "three");
    expect([await first, await second]).toEqual([["one"], ["two", "three"]]);
  });

  test("transfers buffers away from the caller", async () => {
    const { pool, workers } = await openFakePool(1);
    const values = Float64Array.of(1, 2, 3);
    void pool.run(job, "shared", [{ task: values, transfer: [values.buffer] }]);
    expect(values.length).toBe(0);
    expect(workers[0].received[2]).toMatchObject({ task: Float64Array.of(1, 2, 3) });
  });
});

describe("a task that fails", () => {
  test("rejects its run with one sentence, after the remaining answers", async () => {
    const { pool, workers } = await openFakePool(2);
    const run = pool.run(job, "shared", inputs(100));
    workers[1].failed(1, "the matrix is empty");
    expect(await stateOf(run)).toBe("pending");
    workers[0].done(0, null);
    workers[0].failed(2, "another reason");
    workers[1].done(3, null);
    expect(await messageOf(run)).toBe('Worker 2 failed in "work": the matrix is empty.');
    expect(workers.map((worker) => worker.taskIds)).toEqual([
      [0, 2],
      [1, 3],
    ]);
  });

  test("rejects its run with the code of the worker's error", async () => {
    const { pool, workers } = await openFakePool(1);
    const run = pool.run(job, "shared", inputs(1));
    workers[0].failed(0, "no density", "no-density");
    await expectError(run, { code: "no-density", phrase: "Worker 1" });
  });

  test("leaves the pool usable for the next run", async () => {
    const { pool, workers } = await openFakePool(1);
    const first = pool.run(job, "first", inputs(3));
    const second = pool.run(job, "second", inputs(1));
    workers[0].failed(0, "no.");
    workers[0].done(1, "ignored");
    await expectError(first, { code: "worker-failed" });
    workers[0].done(0, "right");
    expect(await second).toEqual(["right"]);
  });

  test("may be the last one", async () => {
    const { pool, workers } = await openFakePool(1);
    const run = pool.run(job, "shared", inputs(2));
    workers[0].done(0, null);
    workers[0].failed(1, "no");
    await expectError(run, { code: "worker-failed" });
  });
});

describe("data that cannot be sent to a worker", () => {
  const unsendable = { task: () => 0, transfer: [] };

  test.each([
    { position: "first", tasks: [unsendable, ...inputs(2)] },
    { position: "second, while the first is under way", tasks: [...inputs(1), unsendable] },
    { position: "fifth, sent after an answer", tasks: [...inputs(4), unsendable, ...inputs(4)] },
  ])("a task ($position) rejects its run and not the next", async ({ tasks }) => {
    const { pool, workers } = await openFakePool(2);
    const message = messageOf(pool.run(job, "shared", tasks));
    const sent = tasks.indexOf(unsendable);
    for (let id = 0; id < sent; id += 1) workers[id % 2].done(id, null);
    expect(await message).toMatch(
      /^Worker [12] could not be sent a task of "work": .*could not be cloned\.$/,
    );
    const next = pool.run(job, "shared", inputs(1));
    workers[0].done(0, "right");
    expect(await next).toEqual(["right"]);
    expect(workers[0].taskIds.length + workers[1].taskIds.length).toBe(sent + 1);
  });

  test("shared data rejects its run and not the next", async () => {
    const { pool, workers } = await openFakePool(2);
    const run = pool.run({ ...job, name: "odd" }, (() => 0) as unknown as string, inputs(3));
    expect(await messageOf(run)).toMatch(/^Worker 1 could not be sent a task of "odd": /);
    const next = pool.run(job, "shared", inputs(1));
    workers[0].done(0, "right");
    expect(await next).toEqual(["right"]);
  });
});

describe("a lost worker", () => {
  test("rejects current, waiting and future runs with the same error", async () => {
    const { pool, workers } = await openFakePool(3);
    const runs = [pool.run(job, "first", inputs(5)), pool.run(job, "second", inputs(5))];
    const messages = runs.map(messageOf);
    workers[2].die("crashed: out of memory");
    workers[2].die("ended unexpectedly with exit code 1");
    const later = messageOf(pool.run(job, "third", inputs(5)));
    for (const message of [...messages, later]) {
      expect(await message).toBe("Worker 3 crashed: out of memory.");
    }
    expect(workers[0].taskIds).toEqual([0, 3]);
  });

  test("causes later answers of other workers to be ignored", async () => {
    const { pool, workers } = await openFakePool(2);
    const message = messageOf(pool.run(job, "first", inputs(5)));
    workers[0].die("crashed: bad luck");
    workers[1].done(1, null);
    workers[1].failed(3, "no");
    expect(await message).toBe("Worker 1 crashed: bad luck.");
  });

  test("can be closed with the others", async () => {
    const { pool, workers } = await openFakePool(2);
    workers[0].die("crashed: bad luck");
    await pool.close();
    expect(workers.map((worker) => worker.terminations)).toEqual([1, 1]);
  });
});

/** Expects right results for a run of one task. */
async function expectUsable(pool: WorkerPool, [worker]: readonly FakeWorker[]): Promise<void> {
  const next = pool.run(job, "usable", inputs(1));
  worker.done(0, "right");
  expect(await next).toEqual(["right"]);
}

describe("a signal", () => {
  const reason = new Error("enough");

  test("that has aborted before the start sends nothing to the workers", async () => {
    const { pool, workers } = await openFakePool(2);
    const run = pool.run(job, "shared", inputs(5), { signal: AbortSignal.abort(reason) });
    await expect(run).rejects.toBe(reason);
    expect(workers.map((worker) => worker.types)).toEqual([["start"], ["start"]]);
    await expectUsable(pool, workers);
  });

  test("that aborts a waiting run fails it at once, and leaves the others alone", async () => {
    const { pool, workers } = await openFakePool(1);
    const controller = new AbortController();
    const first = pool.run(job, "first", inputs(1));
    const second = pool.run(job, "second", inputs(3), { signal: controller.signal });
    const third = pool.run(job, "third", inputs(1));
    controller.abort(reason);
    expect(await stateOf(second)).toBe(reason);
    expect(await stateOf(first)).toBe("pending");
    workers[0].done(0, "one");
    workers[0].done(0, "three");
    expect([await first, await third]).toEqual([["one"], ["three"]]);
    expect(workers[0].received).not.toContainEqual(expect.objectContaining({ shared: "second" }));
  });

  test("that aborts a current run assigns no more tasks, and fails it after the remaining answers", async () => {
    const { pool, workers } = await openFakePool(2);
    const controller = new AbortController();
    const done: number[] = [];
    const run = pool.run(job, "shared", inputs(100), {
      signal: controller.signal,
      onTaskDone: (index) => done.push(index),
    });
    workers[0].done(0, null);
    const handedOut = [
      [0, 2, 4],
      [1, 3],
    ];
    expect(workers.map((worker) => worker.taskIds)).toEqual(handedOut);
    controller.abort(reason);
    const next = pool.run(job, "next", inputs(1));
    expect(await stateOf(run)).toBe("pending");
    workers[0].done(2, "ignored");
    workers[1].failed(1, "ignored as well");
    workers[0].done(4, null);
    expect(await stateOf(run)).toBe("pending");
    expect(workers.map((worker) => worker.taskIds)).toEqual(handedOut);
    workers[1].done(3, null);
    expect(await stateOf(run)).toBe(reason);
    // Answers after the abort are not reported.
    expect(done).toEqual([0]);
    workers[0].done(0, "right");
    expect(await next).toEqual(["right"]);
  });

  test("that aborts after all tasks are assigned takes effect, too", async () => {
    const { pool, workers } = await openFakePool(2);
    const controller = new AbortController();
    const run = pool.run(job, "shared", inputs(2), { signal: controller.signal });
    workers[0].done(0, null);
    controller.abort(reason);
    expect(await stateOf(run)).toBe("pending");
    workers[1].done(1, null);
    await expect(run).rejects.toBe(reason);
    await expectUsable(pool, workers);
  });

  test("may be aborted by onTaskDone, in the middle and at the last task", async () => {
    for (const last of [0, 2]) {
      const { pool, workers } = await openFakePool(1);
      const controller = new AbortController();
      const run = pool.run(job, "shared", inputs(3), {
        signal: controller.signal,
        onTaskDone: (index) => {
          if (index === last) controller.abort(reason);
        },
      });
      for (let id = 0; id < 3 && workers[0].taskIds.includes(id); id += 1) {
        workers[0].done(id, null);
      }
      await expect(run).rejects.toBe(reason);
      await expectUsable(pool, workers);
    }
  });

  test("that aborts after a failure keeps the first error", async () => {
    const { pool, workers } = await openFakePool(1);
    const controller = new AbortController();
    const message = messageOf(pool.run(job, "a", inputs(9), { signal: controller.signal }));
    workers[0].failed(0, "no");
    controller.abort(reason);
    workers[0].done(1, null);
    expect(await message).toContain("Worker 1");
    await expectUsable(pool, workers);
  });

  test("that aborts after the end changes nothing and has no listeners", async () => {
    const { pool, workers } = await openFakePool(1);
    const controller = new AbortController();
    const { signal } = controller;
    const added = vi.spyOn(signal, "addEventListener");
    const removed = vi.spyOn(signal, "removeEventListener");
    const run = pool.run(job, "shared", inputs(1), { signal });
    workers[0].done(0, "right");
    expect(await run).toEqual(["right"]);
    expect(removed.mock.calls).toEqual(added.mock.calls);
    expect(added).toHaveBeenCalledOnce();
    const next = pool.run(job, "next", inputs(2));
    controller.abort();
    workers[0].done(0, "a");
    workers[0].done(1, "b");
    expect(await next).toEqual(["a", "b"]);
  });

  test("may have no reason, or one that is not an error", async () => {
    const { pool } = await openFakePool(1);
    const outcome = (signal: AbortSignal) => pool.run(job, "shared", inputs(1), { signal });
    await expect(outcome(AbortSignal.abort())).rejects.toThrow(
      expect.objectContaining({ name: "AbortError" }),
    );
    expect(await messageOf(outcome(AbortSignal.abort("tea")))).toBe("Aborted: tea.");
  });

  test.each([
    {
      end: "closed",
      act: ({ pool }: FakeTeam) => pool.close(),
      phrase: "closed",
    },
    {
      end: "broken down",
      act: ({ pool, workers }: FakeTeam) => {
        workers[0].die("crashed: bad luck");
        return pool.close();
      },
      phrase: "bad luck",
    },
  ])("that aborts after the pool was $end changes nothing", async ({ act, phrase }) => {
    const team = await openFakePool(1);
    const controller = new AbortController();
    const { signal } = controller;
    const message = messageOf(team.pool.run(job, "shared", inputs(9), { signal }));
    await act(team);
    controller.abort(reason);
    expect(await message).toContain(phrase);
  });
});

describe("onTaskDone", () => {
  test("is called with the index of each task, in the order of the answers", async () => {
    const { pool, workers } = await openFakePool(2);
    const done: number[] = [];
    const run = pool.run(job, "shared", inputs(4), { onTaskDone: (index) => done.push(index) });
    workers[1].done(1, "b");
    workers[1].done(3, "d");
    expect(done).toEqual([1, 3]);
    workers[0].done(0, "a");
    workers[0].done(2, "c");
    expect(done).toEqual([1, 3, 0, 2]);
    expect(await run).toEqual(["a", "b", "c", "d"]);
  });

  test("that throws fails the run with its error, after the remaining answers", async () => {
    const { pool, workers } = await openFakePool(2);
    const mistake = new TypeError("no such bar");
    const calls: number[] = [];
    const run = pool.run(job, "shared", inputs(100), {
      onTaskDone: (index) => {
        calls.push(index);
        throw mistake;
      },
    });
    workers[1].done(1, null);
    expect(await stateOf(run)).toBe("pending");
    for (const [worker, id] of [
      [0, 0],
      [0, 2],
      [1, 3],
    ]) {
      workers[worker].done(id, null);
    }
    await expect(run).rejects.toBe(mistake);
    expect(calls).toEqual([1]);
    expect(workers.map((worker) => worker.taskIds)).toEqual([
      [0, 2],
      [1, 3],
    ]);
    await expectUsable(pool, workers);
  });

  test("that throws at the last task fails the run, too", async () => {
    const { pool, workers } = await openFakePool(1);
    const mistake = new TypeError("no such bar");
    const run = pool.run(job, "shared", inputs(1), {
      onTaskDone() {
        throw mistake;
      },
    });
    workers[0].done(0, null);
    await expect(run).rejects.toBe(mistake);
    await expectUsable(pool, workers);
  });

  test("is not called for a task that failed", async () => {
    const { pool, workers } = await openFakePool(1);
    const done: number[] = [];
    const onTaskDone = (index: number): void => void done.push(index);
    const message = messageOf(pool.run(job, "shared", inputs(2), { onTaskDone }));
    workers[0].done(0, null);
    workers[0].failed(1, "no");
    expect(await message).toContain("Worker 1");
    expect(done).toEqual([0]);
  });
});

describe("a lazy list of tasks", () => {
  test("is asked once for each task, when it is assigned", async () => {
    const { pool, workers } = await openFakePool(2);
    const asked: number[] = [];
    const list: TaskList<unknown> = {
      length: 6,
      at(index) {
        asked.push(index);
        return { task: `task ${index}`, transfer: [] };
      },
    };
    const before = pool.run(job, "before", inputs(1));
    const run = pool.run(job, "shared", list);
    // It waits for the first run.
    expect(asked).toEqual([]);
    workers[0].done(0, null);
    await before;
    expect(asked).toEqual([0, 1, 2, 3]);
    workers[1].done(1, "b");
    expect(asked).toEqual([0, 1, 2, 3, 4]);
    workers[1].done(3, "d");
    workers[1].done(4, "e");
    workers[1].done(5, "f");
    workers[0].done(0, "a");
    workers[0].done(2, "c");
    expect(await run).toEqual(["a", "b", "c", "d", "e", "f"]);
    expect(asked).toEqual([0, 1, 2, 3, 4, 5]);
    expect(workers[1].received.at(-1)).toMatchObject({ id: 5, task: "task 5" });
  });

  test("is not asked for more after an abort", async () => {
    const { pool, workers } = await openFakePool(1);
    const controller = new AbortController();
    const asked: number[] = [];
    const list: TaskList<unknown> = {
      length: 1000,
      at(index) {
        asked.push(index);
        return { task: index, transfer: [] };
      },
    };
    const run = pool.run(job, "shared", list, { signal: controller.signal });
    controller.abort();
    workers[0].done(0, null);
    workers[0].done(1, null);
    await expect(run).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
    expect(asked).toEqual([0, 1]);
  });

  test("that throws rejects its run and not the next", async () => {
    const { pool, workers } = await openFakePool(1);
    const list: TaskList<unknown> = {
      length: 5,
      at(index) {
        if (index === 1) throw new Error("out of memory");
        return { task: index, transfer: [] };
      },
    };
    const message = messageOf(pool.run(job, "shared", list));
    workers[0].done(0, null);
    expect(await message).toBe('Worker 1 could not be sent a task of "work": out of memory.');
    await expectUsable(pool, workers);
  });
});

describe("close", () => {
  test("rejects current, waiting and future runs", async () => {
    const { pool, workers } = await openFakePool(2);
    const messages = [pool.run(job, "a", inputs(5)), pool.run(job, "b", inputs(5))].map(messageOf);
    const closing = pool.close();
    messages.push(messageOf(pool.run(job, "c", inputs(5))));
    await closing;
    messages.push(messageOf(pool.run(job, "d", [])));
    expect(await Promise.all(messages)).toEqual(
      Array.from({ length: 4 }, () => "The worker pool was closed."),
    );
    expect(workers.map((worker) => worker.terminations)).toEqual([1, 1]);
  });

  test("terminates each worker once, however often it is called", async () => {
    const { pool, workers } = await openFakePool(2);
    await Promise.all([pool.close(), pool.close()]);
    await pool.close();
    expect(workers.map((worker) => worker.terminations)).toEqual([1, 1]);
  });

  test("ignores the resulting ends of the workers", async () => {
    const { pool, workers } = await openFakePool(1);
    await pool.close();
    workers[0].die("ended unexpectedly with exit code 1");
    await expectError(pool.run(job, "late", inputs(1)), { code: "interrupted" });
  });
});

describe("open", () => {
  test.each([
    {
      what: "dies",
      act: (worker: FakeWorker) => {
        worker.die("ended unexpectedly with exit code 7");
      },
      sentence: "Worker 2 ended unexpectedly with exit code 7.",
    },
    {
      what: "cannot load the kernels",
      act: (worker: FakeWorker) => {
        worker.failed(-1, "This engine is too old.");
      },
      sentence: "Worker 2 failed: This engine is too old.",
    },
  ])("rejects and terminates all workers if one $what before it is ready", async (failure) => {
    const workers = [new FakeWorker(), new FakeWorker(false), new FakeWorker()];
    const message = messageOf(openPoolOf(workers));
    failure.act(workers[1]);
    expect(await message).toBe(failure.sentence);
    expect(workers.map((worker) => worker.terminations)).toEqual([1, 1, 1]);
  });

  test("rejects and terminates the earlier workers if one cannot be created", async () => {
    const workers = [new FakeWorker(), new FakeWorker()];
    const opening = WorkerPool.open(referenceKernels, 3, (index) => {
      if (index === 2) throw new Error("no more threads");
      return workers[index];
    });
    expect(await messageOf(opening)).toBe("Worker 3 could not be started: no more threads.");
    expect(workers.map((worker) => worker.terminations)).toEqual([1, 1]);
  });

  test("waits for the last worker to be ready", async () => {
    const workers = [new FakeWorker(), new FakeWorker(false)];
    const opening = openPoolOf(workers);
    expect(await stateOf(opening)).toBe("pending");
    workers[1].answer({ type: "ready" });
    expect((await opening).size).toBe(2);
  });
});
