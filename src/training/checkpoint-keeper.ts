/** Decides when a fit writes a checkpoint, and of which step. */
import type { AnyTransform } from "../transforms/image-cascade.js";
import type { FitTeam } from "./fit-team.js";
import type { FitCheckpoint, FitOptions } from "./fit-records.js";

export class CheckpointKeeper<T extends AnyTransform> {
  /** Last checkpoint with sound parameters; undefined until the fit has taken a sound step. */
  private sound: FitCheckpoint<T> | undefined;
  /** Last checkpoint at which all ranks had the same parameters. */
  private agreed: FitCheckpoint<T>;
  private lastTime = performance.now();
  /** The checkpoint being written. */
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: FitOptions<T>,
    private readonly start: FitCheckpoint<T>,
    private readonly team: FitTeam,
  ) {
    this.agreed = start;
  }

  /** Records a step with sound parameters, and whether all ranks have the same ones. */
  note(checkpoint: FitCheckpoint<T>, isAgreed: boolean): void {
    if (checkpoint.step > this.start.step) this.sound = checkpoint;
    if (isAgreed) this.agreed = checkpoint;
  }

  async keepIfDue(): Promise<void> {
    const { sound } = this;
    if (!sound || sound.step >= this.options.steps || !this.isDue(sound.step)) return;
    this.writing = this.team.attempt(() => this.options.onCheckpoint?.(sound));
    await this.writing;
    this.lastTime = performance.now();
  }

  /**
   * Writes the last checkpoint of a fit that ends early: the last sound one, or the last agreed one
   * where ranks have diverged since.
   */
  async keepLast(which: "sound" | "agreed" = "sound"): Promise<void> {
    // An earlier checkpoint must not overwrite this one.
    await this.writing.catch(() => undefined);
    if (this.sound) await this.options.onCheckpoint?.(this[which] as FitCheckpoint<T>);
  }

  private isDue(step: number): boolean {
    const { checkpointEvery, checkpointSeconds = Infinity } = this.options;
    if (checkpointEvery !== undefined && step % checkpointEvery === 0) return true;
    return performance.now() - this.lastTime > 1000 * checkpointSeconds;
  }
}
