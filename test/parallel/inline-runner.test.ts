import { describe, expect, test } from "vitest";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import { InlineRunner } from "../../src/parallel/inline-runner.js";
import type { Job } from "../../src/parallel/job.js";
import { multiplyJob, refusingJob, throwingJob } from "../support/workers/jobs.mjs";

const open = (): InlineRunner => new InlineRunner(referenceKernels);
const inputs = <Task>(...tasks: Task[]) => tasks.map((task) => ({ task, transfer: [] }));

describe("InlineRunner", () => {
  test("does the tasks in order with what was shared", async () => {
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

  test("an error in a task is a rejection, and the runner stays usable", async () => {
    const runner = open();
    const run = runner.run(throwingJob, null, inputs({ fails: false }, { fails: true }));
    await expect(run).rejects.toThrow("the sky is too low");
    expect(await runner.run(throwingJob, null, inputs({ fails: false }))).toEqual(["fine"]);
  });

  test("refused shared data is a rejection, and the runner stays usable", async () => {
    const runner = open();
    const run = runner.run(refusingJob, { refused: true }, inputs(1));
    await expect(run).rejects.toThrow("there is no room for this");
    expect(await runner.run(refusingJob, { refused: false }, inputs(1))).toEqual([1]);
  });

  test("a closed runner refuses to run; closing it again is fine", async () => {
    const runner = open();
    await runner.close();
    await runner.close();
    const run = runner.run(multiplyJob, { factor: 1 }, inputs({ value: 1 }));
    await expect(run).rejects.toThrow("This runner was closed.");
  });
});
