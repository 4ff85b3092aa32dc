/** What a pool and its workers say to each other, the same over worker threads and Web Workers. */
import type { Failure } from "../errors.js";
import type { KernelName } from "../kernels/kernels.js";

export type ToWorker =
  /** First message: which kernels to load. Answered by `ready`. */
  | { readonly type: "start"; readonly kernels: KernelName }
  /** Not answered: where the data cannot be taken, the tasks that rely on it fail. */
  | { readonly type: "share"; readonly job: string; readonly shared: unknown }
  /** Answered by `done` or `failed` with the same id, in order. */
  | { readonly type: "task"; readonly id: number; readonly job: string; readonly task: unknown };

export type FromWorker =
  | { readonly type: "ready" }
  | { readonly type: "done"; readonly id: number; readonly result: unknown }
  /** id −1: the worker could not be started. */
  | { readonly type: "failed"; readonly id: number; readonly failure: Failure };

/** A worker as the pool sees it. Adapters wrap a platform's worker into this. */
export interface WorkerHandle {
  post(message: ToWorker, transfer: readonly ArrayBuffer[]): void;
  onMessage(listener: (message: FromWorker) => void): void;
  /** The worker cannot go on: it crashed, or ended. May be told again, and after `terminate`. */
  onDeath(listener: (reason: string) => void): void;
  /**
   * Says whether anybody waits for the worker: only then does it keep the process alive. Browsers
   * have no such thing.
   */
  keepAlive?(isNeeded: boolean): void;
  terminate(): Promise<void>;
}

/** The pool as a worker sees it. */
export interface PoolPort {
  post(message: FromWorker, transfer: readonly ArrayBuffer[]): void;
  onMessage(listener: (message: ToWorker) => void): void;
}
