/** Workers without threads, for tests that control when each message arrives. */
import type { ErrorCode } from "../../src/errors.js";
import type { Kernels } from "../../src/kernels/kernels.js";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import type { FromWorker, ToWorker, WorkerHandle } from "../../src/parallel/messages.js";
import { WorkerPool } from "../../src/parallel/worker-pool.js";

/** Records its messages; the test answers for it. */
export class FakeWorker implements WorkerHandle {
  readonly received: ToWorker[] = [];
  terminations = 0;
  /** Last value that the pool passed to keepAlive. */
  isKeptAlive = true;
  private tell: (message: FromWorker) => void = () => undefined;
  private reportDeath: (reason: string) => void = () => undefined;

  constructor(private readonly startsByItself = true) {}

  post(message: ToWorker, transfer: readonly ArrayBuffer[]): void {
    this.received.push(structuredClone(message, { transfer: [...transfer] }));
    if (message.type === "start" && this.startsByItself) this.answer({ type: "ready" });
  }

  onMessage(listener: (message: FromWorker) => void): void {
    this.tell = listener;
  }

  onDeath(listener: (reason: string) => void): void {
    this.reportDeath = listener;
  }

  keepAlive(isNeeded: boolean): void {
    this.isKeptAlive = isNeeded;
  }

  terminate(): Promise<void> {
    this.terminations += 1;
    return Promise.resolve();
  }

  answer(message: FromWorker): void {
    this.tell(message);
  }

  done(id: number, result: unknown): void {
    this.answer({ type: "done", id, result });
  }

  failed(id: number, message: string, code: ErrorCode = "worker-failed"): void {
    this.answer({ type: "failed", id, failure: { code, message } });
  }

  die(reason: string): void {
    this.reportDeath(reason);
  }

  /** Ids of the received tasks, in order. */
  get taskIds(): number[] {
    return this.received.flatMap((message) => (message.type === "task" ? [message.id] : []));
  }

  get types(): ToWorker["type"][] {
    return this.received.map((message) => message.type);
  }
}

export interface FakeTeam {
  readonly pool: WorkerPool;
  readonly workers: readonly FakeWorker[];
}

export async function openFakePool(size: number): Promise<FakeTeam> {
  const workers = Array.from({ length: size }, () => new FakeWorker());
  return { pool: await openPoolOf(workers), workers };
}

export function openPoolOf(
  workers: readonly WorkerHandle[],
  kernels: Kernels = referenceKernels,
): Promise<WorkerPool> {
  return WorkerPool.open(kernels, workers.length, (index) => workers[index]);
}
