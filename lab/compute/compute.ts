/**
 * The page's side: jobs run in a worker, which has workers of its own, so that the page never waits.
 *
 *   const picture = await compute("denoise", input, { signal, onReport });
 */
import type { ReadonlySignal } from "@preact/signals";
import type {
  FromCompute,
  InputOf,
  JobName,
  OutputOf,
  Problem,
  ReportOf,
  ToCompute,
} from "./protocol.js";

export interface ComputeOptions<N extends JobName> {
  /** Ends the job; the promise then fails with an AbortError. */
  readonly signal?: AbortSignal | undefined;
  readonly onReport?: ((report: ReportOf<N>) => void) | undefined;
  /** While it is true, jobs that look at it between their steps wait. */
  readonly isHeld?: ReadonlySignal<boolean> | undefined;
}

interface Waiting {
  readonly done: (value: unknown) => void;
  readonly failed: (error: Error) => void;
  readonly report: ((value: never) => void) | undefined;
}

/** What went wrong, in a sentence for users. */
export class LabError extends Error {
  override readonly name = "LabError";
}

const waiting = new Map<number, Waiting>();
let worker: Worker | undefined;
let lastId = 0;

/** Runs a job of compute/jobs.ts. Typed arrays are copied, blobs and files are not. */
export async function compute<N extends JobName>(
  job: N,
  input: InputOf<N>,
  { signal, onReport, isHeld }: ComputeOptions<N> = {},
): Promise<OutputOf<N>> {
  signal?.throwIfAborted();
  const id = ++lastId;
  const to = openWorker();
  const cancel = (): void => {
    post(to, { type: "cancel", id });
  };
  let release: (() => void) | undefined;
  try {
    const output = await new Promise<OutputOf<N>>((resolve, reject) => {
      waiting.set(id, {
        done: resolve as (value: unknown) => void,
        failed: reject,
        report: onReport,
      });
      signal?.addEventListener("abort", cancel, { once: true });
      post(to, { type: "start", id, job, input });
      release = isHeld?.subscribe((value) => {
        post(to, { type: "hold", id, isHeld: value });
      });
    });
    // It may have ended before it heard of the end.
    signal?.throwIfAborted();
    return output;
  } finally {
    release?.();
    signal?.removeEventListener("abort", cancel);
    waiting.delete(id);
  }
}

function post(to: Worker, message: ToCompute): void {
  to.postMessage(message);
}

function openWorker(): Worker {
  if (worker) return worker;
  const opened = new Worker(new URL("./compute-worker.ts", import.meta.url), { type: "module" });
  opened.addEventListener("message", ({ data }: MessageEvent<FromCompute>) => {
    if (data.type === "lost") giveUp(opened, data.message);
    else receive(data);
  });
  opened.addEventListener("error", (event) => {
    // Without a message its script could not be loaded; either way it does not answer any more.
    const reason = event.message.replace(/\.$/, "") || "its script could not be loaded";
    giveUp(opened, `The worker that computes has crashed: ${reason}.`);
  });
  worker = opened;
  return opened;
}

/** The next job gets a new one. */
function giveUp(lost: Worker, reason: string): void {
  // What a worker says after its end is about jobs that have failed already.
  if (worker !== lost) return;
  worker = undefined;
  lost.terminate();
  for (const { failed } of waiting.values()) failed(new LabError(reason));
}

function receive(message: Exclude<FromCompute, { type: "lost" }>): void {
  const job = waiting.get(message.id);
  if (!job) return;
  if (message.type === "report") job.report?.(message.value as never);
  else if (message.type === "done") job.done(message.value);
  else job.failed(errorOf(message.problem));
}

function errorOf({ message, isCancelled }: Problem): Error {
  return isCancelled ? new DOMException(message, "AbortError") : new LabError(message);
}

export function isCancelled(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
