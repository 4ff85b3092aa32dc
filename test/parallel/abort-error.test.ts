import { expect, test } from "vitest";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import { runnerUntil } from "../../src/parallel/abort-error.js";
import { multiplyJob } from "../support/workers/jobs.mjs";

const tasks = [1, 2, 3].map((value) => ({ task: { value }, transfer: [] }));

test("starts no task after the signal, and does not affect other work", async () => {
  const runner = new InlineRunner(referenceKernels);
  const controller = new AbortController();
  const until = runnerUntil(controller.signal, runner);
  expect([until.size, until.kernels]).toEqual([runner.size, runner.kernels]);
  expect(await until.run(multiplyJob, { factor: 2 }, tasks)).toEqual([2, 4, 6]);
  const done: number[] = [];
  const run = until.run(multiplyJob, { factor: 2 }, tasks, {
    // As from callers without a signal.
    signal: undefined,
    onTaskDone: (index) => {
      done.push(index);
      controller.abort(new Error("enough"));
    },
  });
  await expect(run).rejects.toThrow("enough");
  expect(done).toEqual([0]);
  await expect(until.run(multiplyJob, { factor: 2 }, tasks)).rejects.toThrow("enough");
  const { signal } = new AbortController();
  expect(await until.run(multiplyJob, { factor: 2 }, tasks, { signal })).toEqual([2, 4, 6]);
  expect(await runner.run(multiplyJob, { factor: 3 }, tasks)).toEqual([3, 6, 9]);
  await until.close();
  await expect(runner.run(multiplyJob, { factor: 3 }, tasks)).rejects.toThrow("closed");
});
