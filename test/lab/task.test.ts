import { describe, expect, test } from "vitest";
import { Task, type TaskOptions } from "../../lab/task.js";

interface Call {
  readonly input: string;
  readonly options: TaskOptions<number>;
  readonly done: (output: string) => void;
  readonly failed: (error: unknown) => void;
}

/** A task whose work is ended by the test. */
function heldTask() {
  const calls: Call[] = [];
  const task = new Task<string, string, number>(
    (input, options) =>
      new Promise((done, failed) => {
        calls.push({ input, options, done, failed });
      }),
  );
  return { task, calls };
}

const cancelled = new DOMException("Cancelled.", "AbortError");

describe("a task", () => {
  test("goes from idle to running to done, with the latest report", async () => {
    const { task, calls } = heldTask();
    expect(task.state.value).toEqual({ status: "idle" });
    const ended = task.start("a");
    expect(task.state.value).toEqual({ status: "running", report: null, seconds: 0 });
    calls[0].options.onReport(1);
    calls[0].options.onReport(2);
    expect(task.state.value).toMatchObject({ status: "running", report: 2 });
    calls[0].done("A");
    expect(await ended).toEqual({ status: "done", output: "A" });
    expect(task.state.value).toEqual({ status: "done", output: "A" });
  });

  test("fails with a message", async () => {
    const { task, calls } = heldTask();
    const ended = task.start("a");
    calls[0].failed(new Error("No luck."));
    await ended;
    expect(task.state.value).toEqual({ status: "failed", problem: "No luck." });
  });

  test("is cancelled at once, and later results change nothing", async () => {
    const { task, calls } = heldTask();
    const ended = task.start("a");
    task.isHeld.value = true;
    task.cancel();
    expect(task.state.value).toEqual({ status: "cancelled" });
    expect([calls[0].options.signal.aborted, task.isHeld.value]).toEqual([true, false]);
    calls[0].options.onReport(1);
    calls[0].done("A");
    expect(await ended).toEqual({ status: "cancelled" });
    expect(task.state.value).toEqual({ status: "cancelled" });
  });

  test("runs after a stop until its work has ended", async () => {
    const { task, calls } = heldTask();
    const ended = task.start("a");
    task.stop();
    expect([task.isRunning, calls[0].options.signal.aborted]).toEqual([true, true]);
    calls[0].failed(cancelled);
    expect(await ended).toEqual({ status: "cancelled" });
    expect(task.state.value).toEqual({ status: "cancelled" });
  });

  test("replaces the running work when started again", async () => {
    const { task, calls } = heldTask();
    const first = task.start("a");
    const second = task.start("b");
    expect(calls[0].options.signal.aborted).toBe(true);
    calls[1].options.onReport(5);
    calls[0].done("A");
    expect(await first).toEqual({ status: "cancelled" });
    expect(task.state.value).toMatchObject({ status: "running", report: 5 });
    calls[1].done("B");
    expect(await second).toEqual({ status: "done", output: "B" });
  });

  test("discards its result on reset", async () => {
    const { task, calls } = heldTask();
    const ended = task.start("a");
    calls[0].failed(new Error("No luck."));
    await ended;
    task.reset();
    expect(task.state.value).toEqual({ status: "idle" });
  });

  test("cannot be cancelled after its end", async () => {
    const { task, calls } = heldTask();
    const ended = task.start("a");
    calls[0].done("A");
    await ended;
    task.cancel();
    expect(task.state.value).toEqual({ status: "done", output: "A" });
  });
});
