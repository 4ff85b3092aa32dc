/** The worker's side: performs jobs, and answers every failure with a sentence. */
import { failureOf } from "../../src/errors.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { SharedRunner } from "./shared-runner.js";
import { performers } from "./jobs.js";
import type { FromCompute, Problem, ToCompute } from "./protocol.js";

/** Lets a job wait between its steps while the page holds it. */
class Hold {
  private isHeld = false;
  private waiting: (() => void)[] = [];

  constructor(signal: AbortSignal) {
    // Whoever cancels does not want it to wait any longer.
    signal.addEventListener("abort", () => {
      this.set(false);
    });
  }

  set(isHeld: boolean): void {
    this.isHeld = isHeld;
    if (isHeld) return;
    for (const goOn of this.waiting.splice(0)) goOn();
  }

  /** Resolves when the job may go on. */
  wait(): Promise<void> {
    if (!this.isHeld) return Promise.resolve();
    return new Promise((resolve) => {
      this.waiting.push(resolve);
    });
  }
}

interface Running {
  readonly controller: AbortController;
  readonly hold: Hold;
}

const running = new Map<number, Running>();
const shared = new SharedRunner((message) => {
  answer({ type: "lost", message });
});

/**
 * The page hears of it while its workers are opened: `new Worker` may never return (compute.ts).
 */
function openAloud(): void {
  answer({ type: "opening" });
  const beat = setInterval(() => {
    answer({ type: "opening" });
  }, 250);
  const end = (): void => {
    clearInterval(beat);
    answer({ type: "open" });
  };
  // The jobs tell what is wrong.
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
    // Whoever moves a slider starts and cancels many: their cancels are behind their starts, and
    // are to be heard first.
    await nextMessages();
    signal.throwIfAborted();
    const report = (value: unknown): void => {
      answer({ type: "report", id, value });
    };
    const whileHeld = (): Promise<void> => hold.wait();
    // Each performer takes the input of its own job: the page's side is typed by the same table.
    const perform = performers[job] as (input: unknown, context: object) => Promise<unknown>;
    answer({
      type: "done",
      id,
      value: await perform(input, { runner, signal, report, whileHeld }),
    });
  } catch (error) {
    answer({ type: "failed", id, problem: problemOf(error, signal) });
    if (runner && !signal.aborted) await shared.forgetIfDead(runner);
  } finally {
    running.delete(id);
  }
}

/** After what has come until now was heard. */
function nextMessages(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function answer(message: FromCompute): void {
  postMessage(message);
}

function problemOf(error: unknown, { aborted }: AbortSignal): Problem {
  if (aborted) return { code: "interrupted", message: "Cancelled.", isCancelled: true };
  return { ...failureOf(error), isCancelled: false };
}
