/** Runners that all who ask for the same one share. They start on first use. */
import { GaussianizeError } from "../errors.js";
import type { TaskRunner } from "./job.js";
import type { RunnerOptions } from "./open-runner.js";

/** A share in a runner. */
export interface RunnerShare {
  /** The runner, opened now where nobody has used it before. */
  readonly use: () => Promise<TaskRunner>;
  /** Gives the share back; whoever gives back the last one ends the workers. */
  readonly release: () => Promise<void>;
}

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

  /** A runner that lost a worker is replaced. */
  private async opened(shared: Shared, options: RunnerOptions): Promise<TaskRunner> {
    const { opened } = shared;
    const present = await opened;
    if (present && !present.isClosed) return present;
    if (shared.opened === opened) {
      const opening = this.open(options);
      shared.opened = opening;
      // A runner that did not start is tried again by whoever comes next.
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
