/** The compute worker: performs jobs, and reports every failure with a message for users. */
import { openRunner } from "../../browser/web-workers.js";
import { gaussianize } from "../../src/density/induced-density.js";
import { failureOf } from "../../src/errors.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { linear } from "../../src/transforms/linear.js";
import { sentenceOf } from "../problem.js";
import { performers } from "./jobs.js";
import { MissingCodeError } from "./lazy-job.js";
import type { FromCompute, Problem, ToCompute } from "./protocol.js";

/** Lets a job wait between its steps while the page holds it. */
class Hold {
  private isHeld = false;
  private waiting: (() => void)[] = [];

  constructor(signal: AbortSignal) {
    // A cancelled job must not wait.
    signal.addEventListener("abort", () => {
      this.set(false);
    });
  }

  set(isHeld: boolean): void {
    this.isHeld = isHeld;
    if (isHeld) return;
    for (const resume of this.waiting.splice(0)) resume();
  }

  /** Resolves when the job may continue. */
  wait(): Promise<void> {
    if (!this.isHeld) return Promise.resolve();
    return new Promise((resolve) => {
      this.waiting.push(resolve);
    });
  }
}

/** The runner shared by all jobs. It is opened on first use, and again after it died. */
class SharedRunner {
  private opening: Promise<TaskRunner> | undefined;
  private wasOpen = false;

  async get(): Promise<TaskRunner> {
    const opening = (this.opening ??= openRunner());
    try {
      const runner = await opening;
      this.wasOpen = true;
      return runner;
    } catch (error) {
      this.forget(opening);
      // A worker asks only once for a script, so the page must replace this worker. After a first
      // success all scripts are loaded, and the caches of the jobs are worth keeping.
      if (!this.wasOpen) answer({ type: "lost", message: sentenceOf(error) });
      throw error;
    }
  }

  /** Checks the runner after a failed job: one of its workers may be gone. */
  async forgetIfDead(runner: TaskRunner): Promise<void> {
    const { opening } = this;
    if ((await opening) !== runner) return;
    try {
      const identity = linear({ dimension: 1, H: new Float32Array([1]) });
      await gaussianize(runner, identity, new Float32Array(1));
    } catch {
      this.forget(opening);
    }
  }

  private forget(opening: Promise<TaskRunner> | undefined): void {
    if (this.opening === opening) this.opening = undefined;
  }
}

interface Running {
  readonly controller: AbortController;
  readonly hold: Hold;
}

const running = new Map<number, Running>();
const shared = new SharedRunner();

/** Reports to the page while workers are opened, because `new Worker` may hang (compute.ts). */
function openAloud(): void {
  answer({ type: "opening" });
  const beat = setInterval(() => {
    answer({ type: "opening" });
  }, 250);
  const end = (): void => {
    clearInterval(beat);
    answer({ type: "open" });
  };
  // Jobs report the problem.
  shared.get().then(end, end);
}

openAloud();

addEventListener("message", ({ data }: MessageEvent<ToCompute>) => {
  if (data.type === "start") void start(data);
  else if (data.type === "cancel") running.get(data.id)?.controller.abort();
  else running.get(data.id)?.hold.set(data.isHeld);
});

async function start({ id, job, input }: ToCompute & { readonly type: "start" }): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const hold = new Hold(signal);
  running.set(id, { controller, hold });
  let runner: TaskRunner | undefined;
  try {
    runner = await shared.get();
    // A moving slider starts and cancels many jobs. This lets the cancels behind this message in.
    await new Promise((resolve) => setTimeout(resolve, 0));
    signal.throwIfAborted();
    const report = (value: unknown): void => {
      answer({ type: "report", id, value });
    };
    const whileHeld = (): Promise<void> => hold.wait();
    // The page types the input by the same table.
    const perform = performers[job] as (input: unknown, context: object) => Promise<unknown>;
    const value = await perform(input, { runner, signal, report, whileHeld });
    answer({ type: "done", id, value });
  } catch (error) {
    // Another worker may load the code later. While other jobs run, this one must stay.
    if (error instanceof MissingCodeError && running.size === 1) {
      answer({ type: "lost", message: error.message });
      return;
    }
    answer({ type: "failed", id, problem: problemOf(error, signal) });
    if (runner && !signal.aborted) await shared.forgetIfDead(runner);
  } finally {
    running.delete(id);
  }
}

function answer(message: FromCompute): void {
  postMessage(message);
}

function problemOf(error: unknown, { aborted }: AbortSignal): Problem {
  if (aborted) return { code: "interrupted", message: "Cancelled.", isCancelled: true };
  return { ...failureOf(error), isCancelled: false };
}
