/** Messages between a pool and its workers, the same for worker threads and Web Workers. */
import type { Failure } from "../errors.js";
import type { KernelName } from "../kernels/kernels.js";

export type ToWorker =
  /** First message: the kernels to load. Answered by `ready`. */
  | { readonly type: "start"; readonly kernels: KernelName }
  /** Not answered: if the data are rejected, the tasks that need them fail. */
  | { readonly type: "share"; readonly job: string; readonly shared: unknown }
  /** Answered by `done` or `failed` with the same id, in order. */
  | { readonly type: "task"; readonly id: number; readonly job: string; readonly task: unknown };

export type FromWorker =
  | { readonly type: "ready" }
  | { readonly type: "done"; readonly id: number; readonly result: unknown }
  /** id −1 if the worker could not be started. */
  | { readonly type: "failed"; readonly id: number; readonly failure: Failure };

/** A worker as seen by the pool; adapters implement it for each platform. */
export interface WorkerHandle {
  post(message: ToWorker, transfer: readonly ArrayBuffer[]): void;
  onMessage(listener: (message: FromWorker) => void): void;
  /** Called when the worker crashed or ended, perhaps more than once, and after `terminate`. */
  onDeath(listener: (reason: string) => void): void;
  /** Sets whether the worker keeps the process alive. Not available in browsers. */
  keepAlive?(isNeeded: boolean): void;
  terminate(): Promise<void>;
}

/** The pool as seen by a worker. */
export interface PoolPort {
  post(message: FromWorker, transfer: readonly ArrayBuffer[]): void;
  onMessage(listener: (message: ToWorker) => void): void;
}
