import { type Failure, GaussianizeError, failureOf } from "../errors.js";
import type { Kernels } from "../kernels/kernels.js";
import { abortError } from "./abort-error.js";
import type { Job, JobInput, RunOptions, TaskList, TaskRunner } from "./job.js";
import { LocalSessions } from "./local-sessions.js";
import type { FromWorker, WorkerHandle } from "./messages.js";

/**
 * Tasks in a worker's hands at once: the next one waits there, so that no worker waits for a
 * message.
 */
const tasksInHand = 2;

/** One call of `run`. */
interface Run {
  readonly job: Job<unknown, unknown, unknown>;
  readonly shared: unknown;
  readonly inputs: TaskList<unknown>;
  readonly onTaskDone: ((index: number) => void) | undefined;
  readonly results: unknown[];
  /** Next task to hand out, and tasks not yet answered. */
  next: number;
  open: number;
  /** Set by the first failure; the answers still under way are then ignored. */
  failure: Error | undefined;
  /** Each settles the run; whoever comes second changes nothing. */
  readonly resolve: (results: unknown[]) => void;
  readonly reject: (error: Error) => void;
}

interface Worker {
  readonly handle: WorkerHandle;
  readonly index: number;
  /** Ids of tasks it has not answered. */
  readonly inHand: Set<number>;
  /** The run whose shared data it holds. */
  holds: Run | undefined;
}

/**
 * A team of workers that lasts for many runs. Which worker does a task depends on who is free; what
 * comes out does not, because tasks are cut and their results joined without regard to the workers
 * (kernels/reduction-tree.ts).
 */
export class WorkerPool implements TaskRunner {
  private readonly workers: Worker[];
  private readonly waiting: Run[] = [];
  private current: Run | undefined;
  private broken: Error | undefined;
  private closing: Promise<void> | undefined;
  /** Jobs in the calling thread, where it does a worker's share itself. */
  private readonly local: LocalSessions | undefined;
  private locallyHolds: Run | undefined;

  private constructor(
    readonly kernels: Kernels,
    handles: readonly WorkerHandle[],
    callerWorks: boolean,
  ) {
    if (callerWorks) this.local = new LocalSessions(kernels);
    this.workers = handles.map((handle, index) => ({
      handle,
      index,
      inHand: new Set(),
      holds: undefined,
    }));
  }

  /**
   * Starts workers and waits until each has loaded the kernels of the same name as the caller's.
   * `size` threads compute; with `callerWorks` the calling one is among them: it is blocked while
   * it does a task.
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
      // A thread that cannot be had must not leave those before it running.
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
        job: job,
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

  /** What is under way is waited for; nothing more is handed out. */
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

  /** Begins the next run when none is under way, and hands out tasks. */
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
    // In turns: everybody gets a first task before anybody gets a second.
    this.handOutUpTo(run, 1);
    const own = this.local && !run.failure && run.next < run.inputs.length ? run.next++ : -1;
    this.handOutUpTo(run, tasksInHand);
    if (own >= 0 && this.local) this.perform(run, own, this.local);
    if (run.open === 0) this.finish(run);
  }

  /** A forgotten pool lets the process end; one that computes does not. */
  private keepAlive(isNeeded: boolean): void {
    for (const { handle } of this.workers) handle.keepAlive?.(isNeeded);
  }

  private handOutUpTo(run: Run, depth: number): void {
    for (const worker of this.workers) {
      if (worker.inHand.size < depth) this.handOut(run, worker);
    }
  }

  /** A task of the calling thread's own. */
  private perform(run: Run, id: number, local: LocalSessions): void {
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
    // Later, so that the answers of the workers are heard in between.
    if (run.next < run.inputs.length) {
      setTimeout(() => {
        if (this.current === run) this.proceed();
      }, 0);
    }
  }

  private handOut(run: Run, worker: Worker): void {
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
      // The caller's own mistake comes back to it.
      failRun(run, error as Error);
    }
  }

  private finish(run: Run): void {
    this.current = undefined;
    // Its data and results now belong to the caller alone.
    for (const worker of this.workers) worker.holds = undefined;
    this.locallyHolds = undefined;
    if (run.failure) run.reject(run.failure);
    else run.resolve(run.results);
    this.proceed();
  }

  /** A worker is gone: nothing more can be computed, everybody waiting is told. */
  private breakDown(error: Error): void {
    this.broken ??= error;
    // The others too: a caller that forgets to close a broken pool must not hang.
    void this.close();
  }

  private failEverything(error: Error): void {
    const runs = this.current ? [this.current, ...this.waiting] : [...this.waiting];
    this.current = undefined;
    this.waiting.length = 0;
    for (const run of runs) run.reject(error);
  }
}

/** The first failure counts. The run is rejected when the answers under way are in. */
function failRun(run: Run, error: Error): void {
  if (run.failure) return;
  run.failure = error;
  // Tasks not handed out will not be answered.
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
