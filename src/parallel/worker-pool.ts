import { type Failure, GaussianizeError, failureOf } from "../errors.js";
import type { Kernels } from "../kernels/kernels.js";
import { abortError } from "./abort-error.js";
import {
  type Job,
  type JobInput,
  JobSessions,
  type RunOptions,
  type TaskList,
  type TaskRunner,
} from "./job.js";
import type { FromWorker, WorkerHandle } from "./messages.js";

/** Tasks assigned to a worker at once: the next one is queued there, so that it never waits. */
const tasksInHand = 2;

/** One call of `run`. */
interface Run {
  readonly job: Job<unknown, unknown, unknown>;
  readonly shared: unknown;
  readonly inputs: TaskList<unknown>;
  readonly onTaskDone: ((index: number) => void) | undefined;
  readonly results: unknown[];
  /** Index of the next task to assign, and number of unanswered tasks. */
  next: number;
  open: number;
  /** Set by the first failure; later answers are ignored. */
  failure: Error | undefined;
  readonly resolve: (results: unknown[]) => void;
  readonly reject: (error: Error) => void;
}

interface Worker {
  readonly handle: WorkerHandle;
  readonly index: number;
  /** Ids of unanswered tasks. */
  readonly inHand: Set<number>;
  /** Run whose shared data the worker holds. */
  holds: Run | undefined;
}

/**
 * Pool of workers for many runs. Which worker does a task depends on which is free; the results do
 * not, because the division into tasks does not depend on the workers (kernels/reduction-tree.ts).
 */
export class WorkerPool implements TaskRunner {
  private readonly workers: Worker[];
  private readonly waiting: Run[] = [];
  private current: Run | undefined;
  private broken: Error | undefined;
  private closing: Promise<void> | undefined;
  /** Jobs in the calling thread, if it is one of the workers. */
  private readonly local: JobSessions | undefined;
  private locallyHolds: Run | undefined;

  private constructor(
    readonly kernels: Kernels,
    handles: readonly WorkerHandle[],
    callerWorks: boolean,
  ) {
    if (callerWorks) this.local = new JobSessions(kernels);
    this.workers = handles.map((handle, index) => ({
      handle,
      index,
      inHand: new Set(),
      holds: undefined,
    }));
  }

  /**
   * Starts workers and waits until each has loaded the caller's kernels. `size` threads compute;
   * with `callerWorks` the calling thread is one of them, and is blocked while it does a task.
   */
  static async open(
    kernels: Kernels,
    size: number,
    startWorker: (index: number) => WorkerHandle,
    callerWorks = false,
  ): Promise<WorkerPool> {
    const handles: WorkerHandle[] = [];
    const workers = callerWorks ? size - 1 : size;
    try {
      for (let index = 0; index < workers; index++) handles.push(startWorker(index));
    } catch (error) {
      await Promise.all(handles.map((handle) => handle.terminate()));
      const what = `could not be started: ${(error as Error).message}`;
      throw workerError({ index: handles.length }, what);
    }
    const pool = new WorkerPool(kernels, handles, callerWorks);
    try {
      await Promise.all(pool.workers.map((worker) => pool.start(worker)));
      pool.keepAlive(false);
    } catch (error) {
      await pool.close();
      throw error;
    }
    return pool;
  }

  get size(): number {
    return this.workers.length + (this.local ? 1 : 0);
  }

  get isClosed(): boolean {
    return this.broken !== undefined;
  }

  run<Shared, Task, Result>(
    job: Job<Shared, Task, Result>,
    shared: Shared,
    inputs: TaskList<Task>,
    { signal, onTaskDone }: RunOptions = {},
  ): Promise<Result[]> {
    if (signal?.aborted) return Promise.reject(abortError(signal));
    let stopListening = (): void => undefined;
    const running = new Promise<unknown[]>((resolve, reject) => {
      const run: Run = {
        job,
        shared,
        inputs,
        onTaskDone,
        results: new Array<unknown>(inputs.length),
        next: 0,
        open: inputs.length,
        failure: undefined,
        resolve,
        reject,
      };
      if (signal) {
        const onAbort = (): void => {
          this.cancel(run, abortError(signal));
        };
        signal.addEventListener("abort", onAbort);
        stopListening = () => {
          signal.removeEventListener("abort", onAbort);
        };
      }
      this.waiting.push(run);
      this.proceed();
    });
    return running.finally(stopListening) as Promise<Result[]>;
  }

  close(): Promise<void> {
    this.broken ??= new GaussianizeError("interrupted", "The worker pool was closed.");
    this.failEverything(this.broken);
    this.closing ??= Promise.all(this.workers.map(({ handle }) => handle.terminate())).then(
      () => undefined,
    );
    return this.closing;
  }

  /** Assigns no more tasks; waits for those in progress. */
  private cancel(run: Run, error: Error): void {
    failRun(run, error);
    if (run === this.current) {
      if (run.open === 0) this.finish(run);
      return;
    }
    const place = this.waiting.indexOf(run);
    if (place >= 0) this.waiting.splice(place, 1);
    run.reject(error);
  }

  private start(worker: Worker): Promise<void> {
    return new Promise((resolve, reject) => {
      worker.handle.onMessage((message) => {
        if (message.type === "ready") resolve();
        else if (message.type === "failed" && message.id < 0) {
          const error = workerError(worker, `failed: ${message.failure.message}`, message.failure);
          this.breakDown(error);
          reject(error);
        } else this.receive(worker, message);
      });
      worker.handle.onDeath((reason) => {
        const error = workerError(worker, reason);
        this.breakDown(error);
        reject(error);
      });
      worker.handle.post({ type: "start", kernels: this.kernels.name }, []);
    });
  }

  /** Starts the next run if none is in progress, and assigns tasks. */
  private proceed(): void {
    if (this.broken) {
      this.failEverything(this.broken);
      return;
    }
    if (!this.current && this.waiting.length > 0) {
      this.current = this.waiting.shift();
      this.keepAlive(true);
    }
    const run = this.current;
    if (!run) {
      this.keepAlive(false);
      return;
    }
    // Every worker gets a first task before any gets a second.
    this.assignUpTo(run, 1);
    const own = this.local && !run.failure && run.next < run.inputs.length ? run.next++ : -1;
    this.assignUpTo(run, tasksInHand);
    if (own >= 0 && this.local) this.perform(run, own, this.local);
    if (run.open === 0) this.finish(run);
  }

  /** An idle pool does not keep the process alive; one that computes does. */
  private keepAlive(isNeeded: boolean): void {
    for (const { handle } of this.workers) handle.keepAlive?.(isNeeded);
  }

  private assignUpTo(run: Run, depth: number): void {
    for (const worker of this.workers) {
      if (worker.inHand.size < depth) this.assign(run, worker);
    }
  }

  /** Does a task in the calling thread. */
  private perform(run: Run, id: number, local: JobSessions): void {
    try {
      const session = local.of(run.job);
      if (this.locallyHolds !== run) {
        session.share(run.shared);
        this.locallyHolds = run;
      }
      const { task } = run.inputs.at(id) as JobInput<unknown>;
      this.accept(run, id, session.perform(task).result);
    } catch (error) {
      const { code, argument, message } = failureOf(error);
      const text = `The calling thread failed in "${run.job.name}": ${message}.`;
      failRun(run, new GaussianizeError(code, text, { argument }));
    }
    run.open--;
    // Later, so that answers of the workers are handled in between.
    if (run.next < run.inputs.length) {
      setTimeout(() => {
        if (this.current === run) this.proceed();
      }, 0);
    }
  }

  private assign(run: Run, worker: Worker): void {
    if (run.failure || run.next === run.inputs.length) return;
    const id = run.next;
    try {
      const { task, transfer } = run.inputs.at(id) as JobInput<unknown>;
      if (worker.holds !== run) {
        worker.handle.post({ type: "share", job: run.job.name, shared: run.shared }, []);
        worker.holds = run;
      }
      worker.handle.post({ type: "task", id, job: run.job.name, task }, transfer);
    } catch (error) {
      const what = `could not be sent a task of "${run.job.name}": ${(error as Error).message}`;
      failRun(run, workerError(worker, what));
      return;
    }
    run.next++;
    worker.inHand.add(id);
  }

  private receive(worker: Worker, message: Exclude<FromWorker, { type: "ready" }>): void {
    const run = this.current;
    worker.inHand.delete(message.id);
    if (!run) return;
    run.open--;
    if (message.type === "done") this.accept(run, message.id, message.result);
    else {
      const { failure } = message;
      failRun(run, workerError(worker, `failed in "${run.job.name}": ${failure.message}`, failure));
    }
    this.proceed();
  }

  private accept(run: Run, id: number, result: unknown): void {
    if (run.failure) return;
    run.results[id] = result;
    try {
      run.onTaskDone?.(id);
    } catch (error) {
      // An error in the caller's callback fails the run.
      failRun(run, error as Error);
    }
  }

  private finish(run: Run): void {
    this.current = undefined;
    for (const worker of this.workers) worker.holds = undefined;
    this.locallyHolds = undefined;
    if (run.failure) run.reject(run.failure);
    else run.resolve(run.results);
    this.proceed();
  }

  /** Fails all runs after the loss of a worker. */
  private breakDown(error: Error): void {
    this.broken ??= error;
    // Terminates the other workers, too: an unclosed pool must not keep the process alive.
    void this.close();
  }

  private failEverything(error: Error): void {
    const runs = this.current ? [this.current, ...this.waiting] : [...this.waiting];
    this.current = undefined;
    this.waiting.length = 0;
    for (const run of runs) run.reject(error);
  }
}

/** Records the first failure. The run is rejected after the remaining answers. */
function failRun(run: Run, error: Error): void {
  if (run.failure) return;
  run.failure = error;
  // Unassigned tasks will not be answered.
  run.open -= run.inputs.length - run.next;
  run.next = run.inputs.length;
}

function workerError(
  { index }: Pick<Worker, "index">,
  what: string,
  { code, argument }: Omit<Failure, "message"> = { code: "worker-failed" },
): GaussianizeError {
  const message = `Worker ${index + 1} ${what}`.replace(/([^.])$/, "$1.");
  return new GaussianizeError(code, message, { argument });
}
