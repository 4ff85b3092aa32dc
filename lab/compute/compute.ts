/**
 * The page's side of the compute worker. Jobs run there, so the page stays responsive.
 *
 *   const picture = await compute("denoise", input, { signal, onReport });
 */
import { GaussianizeError } from "../../src/errors.js";
import type { TaskOptions } from "../task.js";
import type {
  FromCompute,
  InputOf,
  JobName,
  OutputOf,
  Problem,
  ReportOf,
  ToCompute,
} from "./protocol.js";

interface Waiting {
  /** Sends the job to the current worker. */
  readonly begin: () => void;
  readonly done: (value: unknown) => void;
  readonly failed: (error: Error) => void;
  readonly report: ((value: never) => void) | undefined;
}

const waiting = new Map<number, Waiting>();
let worker: Worker | undefined;
/** Longest silence of the first worker while it opens its own workers. */
const firstPatienceInMilliseconds = 3000;
/** Each replacement gets twice as long, up to 24 s, because a busy machine may be slow. */
const mostReplacements = 3;
let replacements = 0;
let patience: ReturnType<typeof setTimeout> | undefined;
let lastId = 0;

/**
 * Runs a job of compute/jobs.ts. Typed arrays are copied, blobs and files are not. The signal
 * cancels the job, and the promise rejects with an AbortError.
 */
export async function compute<N extends JobName>(
  job: N,
  input: InputOf<N>,
  { signal, onReport, isHeld }: Partial<TaskOptions<ReportOf<N>>> = {},
): Promise<OutputOf<N>> {
  signal?.throwIfAborted();
  const id = ++lastId;
  const cancel = (): void => {
    post({ type: "cancel", id });
  };
  const hold = (value: boolean): void => {
    post({ type: "hold", id, isHeld: value });
  };
  const begin = (): void => {
    post({ type: "start", id, job, input });
    if (isHeld?.peek()) hold(true);
    if (signal?.aborted) cancel();
  };
  openWorker();
  let release: (() => void) | undefined;
  try {
    const output = await new Promise<OutputOf<N>>((resolve, reject) => {
      waiting.set(id, {
        begin,
        done: resolve as (value: unknown) => void,
        failed: reject,
        report: onReport,
      });
      signal?.addEventListener("abort", cancel, { once: true });
      begin();
      release = isHeld?.subscribe(hold);
    });
    // The job may have ended before the cancel reached it.
    signal?.throwIfAborted();
    return output;
  } finally {
    release?.();
    signal?.removeEventListener("abort", cancel);
    waiting.delete(id);
  }
}

function post(message: ToCompute): void {
  worker?.postMessage(message);
}

function openWorker(): void {
  if (worker) return;
  const opened = new Worker(new URL("./compute-worker.ts", import.meta.url), { type: "module" });
  opened.addEventListener("message", ({ data }: MessageEvent<FromCompute>) => {
    if (data.type === "opening") expectWordOf(opened);
    else if (data.type === "open") endPatience();
    else if (data.type === "lost") giveUp(opened, data.message);
    else receive(data);
  });
  opened.addEventListener("error", (event) => {
    // Without a message, its script could not be loaded.
    const reason = event.message.replace(/\.$/, "") || "its script could not be loaded";
    giveUp(opened, `The compute worker crashed: ${reason}.`);
  });
  worker = opened;
}

/**
 * In Firefox 153, `new Worker` inside a worker sometimes never returns, and the worker falls
 * silent. No job has started by then, so another worker replaces it and gets the same jobs.
 */
function expectWordOf(opened: Worker): void {
  clearTimeout(patience);
  patience = setTimeout(
    () => {
      if (worker !== opened) return;
      if (replacements === mostReplacements) {
        giveUp(opened, "The compute worker does not start. Reload the page.");
        return;
      }
      replacements++;
      opened.terminate();
      worker = undefined;
      openWorker();
      for (const { begin } of waiting.values()) begin();
    },
    firstPatienceInMilliseconds * 2 ** replacements,
  );
}

function endPatience(): void {
  clearTimeout(patience);
  replacements = 0;
}

/** Ends a worker and fails its jobs. The next job opens a new one. */
function giveUp(lost: Worker, reason: string): void {
  // Jobs of earlier workers have already failed.
  if (worker !== lost) return;
  endPatience();
  worker = undefined;
  lost.terminate();
  for (const { failed } of waiting.values()) failed(new GaussianizeError("worker-failed", reason));
}

function receive(message: Exclude<FromCompute, { type: "lost" | "opening" | "open" }>): void {
  const job = waiting.get(message.id);
  if (!job) return;
  if (message.type === "report") job.report?.(message.value as never);
  else if (message.type === "done") job.done(message.value);
  else job.failed(errorOf(message.problem));
}

function errorOf({ code, message, isCancelled }: Problem): Error {
  return isCancelled
    ? new DOMException(message, "AbortError")
    : new GaussianizeError(code, message);
}
