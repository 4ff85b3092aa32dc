import { describe, expect, test } from "vitest";
import type { FromWorker, PoolPort, ToWorker } from "../../src/parallel/messages.js";
import { type AnyJob, serveJobs } from "../../src/parallel/serve-jobs.js";
import { jobs } from "../support/workers/jobs.mjs";

/** The pool's end of a port to serveJobs; messages are copied as between threads. */
function openPort(served: readonly AnyJob[] = jobs): {
  readonly send: (...messages: ToWorker[]) => Promise<FromWorker[]>;
} {
  let listen: (message: ToWorker) => void = () => undefined;
  let answers: FromWorker[] = [];
  const port: PoolPort = {
    post(message, transfer) {
      answers.push(structuredClone(message, { transfer: [...transfer] }));
    },
    onMessage(listener) {
      listen = listener;
    },
  };
  serveJobs(port, served);
  return {
    /** Sends all messages at once, and returns the answers. */
    async send(...messages) {
      const expectedAnswers = messages.filter(({ type }) => type !== "share").length;
      answers = [];
      for (const message of messages) listen(structuredClone(message));
      for (let turn = 0; turn < 1000 && answers.length < expectedAnswers; turn += 1) {
        await new Promise(setImmediate);
      }
      return answers;
    },
  };
}

const start: ToWorker = { type: "start", kernels: "reference" };
const share = (job: string, shared: unknown): ToWorker => ({ type: "share", job, shared });
const task = (id: number, job: string, given: unknown): ToWorker => ({
  type: "task",
  id,
  job,
  task: given,
});

describe("serveJobs", () => {
  test("reports when the kernels are loaded, and rejects unknown kernels", async () => {
    expect(await openPort().send(start)).toEqual([{ type: "ready" }]);
    const unknown = { type: "start", kernels: "magic" } as unknown as ToWorker;
    expect(await openPort().send(unknown)).toEqual([
      {
        type: "failed",
        id: -1,
        failure: expect.objectContaining({
          code: "invalid-argument",
          argument: "kernels",
        }) as object,
      },
    ]);
  });

  test("answers every task in order, with the data shared before it", async () => {
    const port = openPort();
    const answers = await port.send(
      start,
      share("multiply", { factor: 2 }),
      task(0, "multiply", { value: 1 }),
      task(1, "multiply", { value: 2 }),
      share("multiply", { factor: 10 }),
      task(2, "multiply", { value: 3 }),
    );
    expect(answers).toEqual([
      { type: "ready" },
      { type: "done", id: 0, result: 2 },
      { type: "done", id: 1, result: 4 },
      { type: "done", id: 2, result: 30 },
    ]);
  });

  test("keeps a session per job, opened once with the loaded kernels", async () => {
    const opened: string[] = [];
    const counting = (name: string): AnyJob => ({
      name,
      open(kernels) {
        opened.push(`${name} with ${kernels.name}`);
        return { share: () => undefined, perform: () => ({ result: name, transfer: [] }) };
      },
    });
    const port = openPort([counting("a"), counting("b")]);
    await port.send(start, share("a", 0), task(0, "a", 0), share("b", 0), task(1, "b", 0));
    await port.send(share("a", 0), task(2, "a", 0));
    expect(opened).toEqual(["a with reference", "b with reference"]);
  });

  test("reports the error of a task, and does the next", async () => {
    const answers = await openPort().send(
      start,
      share("throwing", null),
      task(0, "throwing", { fails: true }),
      task(1, "throwing", { fails: false }),
    );
    expect(answers.slice(1)).toEqual([
      { type: "failed", id: 0, failure: { code: "worker-failed", message: "the sky is too low" } },
      { type: "done", id: 1, result: "fine" },
    ]);
  });

  test("reports a result that cannot be sent", async () => {
    const answers = await openPort().send(
      start,
      share("unsendable", null),
      task(5, "unsendable", 1),
    );
    expect(answers[1]).toEqual({
      type: "failed",
      id: 5,
      failure: { code: "worker-failed", message: "() => task could not be cloned." },
    });
  });

  test("fails the tasks of rejected shared data, until other data are shared", async () => {
    const answers = await openPort().send(
      start,
      share("refusing", { refused: false }),
      task(0, "refusing", 7),
      share("refusing", { refused: true }),
      task(1, "refusing", 7),
      task(2, "refusing", 7),
      share("refusing", { refused: false }),
      task(3, "refusing", 7),
    );
    expect(answers.slice(1)).toEqual([
      { type: "done", id: 0, result: 7 },
      {
        type: "failed",
        id: 1,
        failure: { code: "worker-failed", message: "there is no room for this" },
      },
      {
        type: "failed",
        id: 2,
        failure: { code: "worker-failed", message: "there is no room for this" },
      },
      { type: "done", id: 3, result: 7 },
    ]);
  });

  test("fails the tasks of an unknown job", async () => {
    const answers = await openPort().send(start, share("dance", null), task(0, "dance", 1));
    expect(answers[1]).toEqual({
      type: "failed",
      id: 0,
      failure: { code: "worker-failed", message: 'unknown job "dance"' },
    });
  });

  test("rejects work before the start", async () => {
    const answers = await openPort().send(
      share("multiply", { factor: 2 }),
      task(0, "multiply", { value: 1 }),
    );
    expect(answers).toEqual([
      {
        type: "failed",
        id: 0,
        failure: {
          code: "worker-failed",
          message: "the worker received work before it was started",
        },
      },
    ]);
  });
});
