/**
 * The runner that all jobs of the compute worker share: opened when it is wanted, and anew after it
 * died.
 */
import { gaussianize } from "../../src/density/induced-density.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { linear } from "../../src/transforms/linear.js";
import { openRunner } from "../../browser/web-workers.js";
import { sentenceOf } from "../problem.js";

export class SharedRunner {
  private opening: Promise<TaskRunner> | undefined;
  private wasOpen = false;

  /**
   * `onLost` is told why where none can be had here: a script that did not come once is not asked
   * for again by the same worker.
   */
  constructor(private readonly onLost: (reason: string) => void) {}

  async get(): Promise<TaskRunner> {
    const opening = (this.opening ??= openRunner());
    try {
      const runner = await opening;
      this.wasOpen = true;
      return runner;
    } catch (error) {
      this.forget(opening);
      // One that was open had all scripts: what jobs have left here is worth keeping.
      if (!this.wasOpen) this.onLost(sentenceOf(error));
      throw error;
    }
  }

  /** After a job has failed, maybe since one of its workers is gone. */
  async forgetIfDead(runner: TaskRunner): Promise<void> {
    const { opening } = this;
    if ((await opening) !== runner) return;
    try {
      const identity = linear({ dimension: 1, H: new Float32Array([1]) });
      await gaussianize(runner, identity, new Float32Array(1));
    } catch {
      this.forget(opening);
    }
  }

  private forget(opening: Promise<TaskRunner> | undefined): void {
    if (this.opening === opening) this.opening = undefined;
  }
}
