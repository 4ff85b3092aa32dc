import { GaussianizeError } from "../errors.js";
import type { TaskRunner } from "./job.js";
import type { RunnerOptions } from "./open-runner.js";

/** A share in a runner, which starts on first use. */
export interface RunnerShare {
  /** Returns the runner; opens it on first use. */
  readonly use: () => Promise<TaskRunner>;
  /** Returns the share; the last one to be returned terminates the workers. */
  readonly release: () => Promise<void>;
}

/** Shares one runner among all callers with the same options. */
export class SharedRunners {
  private readonly shelf = new Map<string, Shared>();

  constructor(private readonly open: (options: RunnerOptions) => Promise<TaskRunner>) {}

  share(options: RunnerOptions = {}): RunnerShare {
    const { workers, kernels, callerWorks } = options;
    const key = JSON.stringify([workers, kernels, callerWorks]);
    const shared = this.shelf.get(key) ?? { shares: 0, opened: undefined };
    this.shelf.set(key, shared);
    shared.shares++;
    let isHeld = true;
    return {
      use: () => {
        if (isHeld) return this.opened(shared, options);
        return Promise.reject(new GaussianizeError("interrupted", "This density was closed."));
      },
      release: async () => {
        if (!isHeld) return;
        isHeld = false;
        shared.shares--;
        if (shared.shares > 0) return;
        this.shelf.delete(key);
        await (await shared.opened)?.close();
      },
    };
  }

  /** Returns the open runner; replaces one that lost a worker. */
  private async opened(shared: Shared, options: RunnerOptions): Promise<TaskRunner> {
    const { opened } = shared;
    const present = await opened;
    if (present && !present.isClosed) return present;
    if (shared.opened === opened) {
      const opening = this.open(options);
      shared.opened = opening;
      // If it fails to start, the next caller tries again.
      opening.catch(() => {
        if (shared.opened === opening) shared.opened = undefined;
      });
    }
    return shared.opened as Promise<TaskRunner>;
  }
}

interface Shared {
  shares: number;
  opened: Promise<TaskRunner> | undefined;
}
