import { describe, expect, test } from "vitest";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import type { Job, JobInput, TaskList } from "../../src/parallel/job.js";
import { multiplyJob, refusingJob, throwingJob } from "../support/workers/jobs.mjs";

const open = (): InlineRunner => new InlineRunner(referenceKernels);
const inputs = <Task>(...tasks: Task[]) => tasks.map((task) => ({ task, transfer: [] }));

describe("InlineRunner", () => {
  test("does the tasks in order with the shared data", async () => {
    const runner = open();
    expect(runner.size).toBe(1);
    expect(runner.kernels).toBe(referenceKernels);
    const run = (factor: number): Promise<number[]> =>
      runner.run(multiplyJob, { factor }, inputs({ value: 1 }, { value: 2 }, { value: 3 }));
    expect(await run(2)).toEqual([2, 4, 6]);
    expect(await run(-1)).toEqual([-1, -2, -3]);
    expect(await runner.run(multiplyJob, { factor: 1 }, [])).toEqual([]);
  });

  test("opens a job once", async () => {
    let opened = 0;
    const job: Job<null, number, number> = {
      name: "counting",
      open() {
        opened += 1;
        return { share: () => undefined, perform: (task) => ({ result: task, transfer: [] }) };
      },
    };
    const runner = open();
    await runner.run(job, null, inputs(1));
    await runner.run(job, null, inputs(2));
    expect(opened).toBe(1);
  });

  test("rejects with the error of a task, and stays usable", async () => {
    const runner = open();
    const run = runner.run(throwingJob, null, inputs({ fails: false }, { fails: true }));
    await expect(run).rejects.toThrow("the sky is too low");
    expect(await runner.run(throwingJob, null, inputs({ fails: false }))).toEqual(["fine"]);
  });

  test("rejects invalid shared data, and stays usable", async () => {
    const runner = open();
    const run = runner.run(refusingJob, { refused: true }, inputs(1));
    await expect(run).rejects.toThrow("there is no room for this");
    expect(await runner.run(refusingJob, { refused: false }, inputs(1))).toEqual([1]);
  });

  test("rejects runs after closing, and can be closed again", async () => {
    const runner = open();
    await runner.close();
    await runner.close();
    const run = runner.run(multiplyJob, { factor: 1 }, inputs({ value: 1 }));
    await expect(run).rejects.toThrow("This runner was closed.");
  });
});

/** Records the performed tasks. */
function recordingJob(): { job: Job<null, number, number>; performed: number[] } {
  const performed: number[] = [];
  const job: Job<null, number, number> = {
    name: "recording",
    open: () => ({
      share: () => undefined,
      perform(task) {
        performed.push(task);
        return { result: -task, transfer: [] };
      },
    }),
  };
  return { job, performed };
}

describe("a signal", () => {
  test("that has aborted before the start prevents all tasks", async () => {
    const [runner, { job, performed }] = [open(), recordingJob()];
    const reason = new Error("changed my mind");
    const signal = AbortSignal.abort(reason);
    await expect(runner.run(job, null, inputs(1, 2), { signal })).rejects.toBe(reason);
    expect(performed).toEqual([]);
    expect(await runner.run(job, null, inputs(3))).toEqual([-3]);
  });

  test("that aborts while the run waits for another leaves the other alone", async () => {
    const [runner, { job, performed }] = [open(), recordingJob()];
    const controller = new AbortController();
    const first = runner.run(job, null, inputs(1, 2, 3));
    const second = runner.run(job, null, inputs(4, 5), { signal: controller.signal });
    const third = runner.run(job, null, inputs(6));
    controller.abort();
    await expect(second).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
    expect(await first).toEqual([-1, -2, -3]);
    expect(await third).toEqual([-6]);
    expect(performed).toEqual([1, 2, 3, 6]);
  });

  test("that aborts after a task prevents the next, and the runner stays usable", async () => {
    const [runner, { job, performed }] = [open(), recordingJob()];
    const controller = new AbortController();
    const reason = new Error("enough");
    const run = runner.run(job, null, inputs(1, 2, 3, 4), {
      signal: controller.signal,
      onTaskDone: (index) => {
        if (index === 1) controller.abort(reason);
      },
    });
    await expect(run).rejects.toBe(reason);
    expect(performed).toEqual([1, 2]);
    expect(await runner.run(job, null, inputs(7))).toEqual([-7]);
  });

  test("from a timer takes effect between two tasks", async () => {
    const runner = open();
    const controller = new AbortController();
    const tasks = inputs(...Array.from({ length: 1000 }, () => ({ value: 1, milliseconds: 2 })));
    let done = 0;
    const run = runner.run(multiplyJob, { factor: 1 }, tasks, {
      signal: controller.signal,
      onTaskDone: () => {
        done += 1;
        if (done === 1)
          setTimeout(() => {
            controller.abort();
          }, 5);
      },
    });
    await expect(run).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
    expect(done).toBeLessThan(1000);
  });

  test("that aborts after the end changes nothing", async () => {
    const [runner, { job }] = [open(), recordingJob()];
    const controller = new AbortController();
    const results = await runner.run(job, null, inputs(1, 2), { signal: controller.signal });
    controller.abort();
    expect(results).toEqual([-1, -2]);
    expect(await runner.run(job, null, inputs(3))).toEqual([-3]);
  });

  test("may have a reason that is not an error", async () => {
    const run = open().run(recordingJob().job, null, inputs(1), {
      signal: AbortSignal.abort("tea"),
    });
    await expect(run).rejects.toThrow(
      expect.objectContaining({ name: "GaussianizeError", message: "Aborted: tea." }),
    );
  });
});

describe("onTaskDone", () => {
  test("is called after each task, with its index", async () => {
    const [runner, { job, performed }] = [open(), recordingJob()];
    const done: [index: number, performed: number][] = [];
    await runner.run(job, null, inputs(10, 20, 30), {
      onTaskDone: (index) => done.push([index, performed.length]),
    });
    expect(done).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
  });

  test("that throws fails the run with its error, and the runner stays usable", async () => {
    const [runner, { job, performed }] = [open(), recordingJob()];
    const mistake = new TypeError("no such bar");
    const run = runner.run(job, null, inputs(1, 2, 3), {
      onTaskDone: (index) => {
        if (index === 1) throw mistake;
      },
    });
    await expect(run).rejects.toBe(mistake);
    expect(performed).toEqual([1, 2]);
    expect(await runner.run(job, null, inputs(3))).toEqual([-3]);
  });

  test("is not called for a task that failed", async () => {
    const done: number[] = [];
    const run = open().run(throwingJob, null, inputs({ fails: false }, { fails: true }), {
      onTaskDone: (index) => done.push(index),
    });
    await expect(run).rejects.toThrow("the sky is too low");
    expect(done).toEqual([0]);
  });
});

test("asks a lazy list once for each task, when the previous one is done", async () => {
  const { job, performed } = recordingJob();
  const asked: [index: number, performed: number][] = [];
  const list: TaskList<number> = {
    length: 3,
    at(index): JobInput<number> {
      asked.push([index, performed.length]);
      return { task: 10 + index, transfer: [] };
    },
  };
  const run = open().run(job, null, list);
  expect(asked).toEqual([]);
  expect(await run).toEqual([-10, -11, -12]);
  expect(asked).toEqual([
    [0, 0],
    [1, 1],
    [2, 2],
  ]);
});

test("does simultaneous runs one after the other, each with its own shared data", async () => {
  const runner = open();
  const tasks = inputs({ value: 1 }, { value: 2 }, { value: 3 });
  const runs = [2, 3, 5].map((factor) => runner.run(multiplyJob, { factor }, tasks));
  expect(await Promise.all(runs)).toEqual([
    [2, 4, 6],
    [3, 6, 9],
    [5, 10, 15],
  ]);
});

test("fails the run if it is closed between two tasks", async () => {
  const [runner, { job, performed }] = [open(), recordingJob()];
  const run = runner.run(job, null, inputs(1, 2, 3), { onTaskDone: () => void runner.close() });
  await expect(run).rejects.toThrow("This runner was closed.");
  expect(performed).toEqual([1]);
});
