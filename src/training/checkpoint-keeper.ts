/** Decides when a fit writes a checkpoint, and of which step. */
import type { FittedTransform } from "../transforms/side-by-side.js";
import type { FitTeam } from "./fit-team.js";
import type { FitCheckpoint, FitOptions } from "./fit-records.js";

export class CheckpointKeeper<T extends FittedTransform> {
  /** Last checkpoint with sound parameters; undefined until the fit has taken a sound step. */
  private sound: FitCheckpoint<T> | undefined;
  /** Last checkpoint at which all ranks had the same parameters. */
  private agreed: FitCheckpoint<T>;
  private lastTime = performance.now();
  /** Milliseconds that the last checkpoint took. */
  private lastDuration = 0;
  /** Transforms of checkpoints that the caller has. */
  private readonly given = new WeakSet<T>();
  /** The checkpoint being written. */
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: FitOptions<T>,
    private readonly start: FitCheckpoint<T>,
    private readonly team: FitTeam,
  ) {
    this.agreed = start;
    this.given.add(start.transform);
  }

  /** Whether the state with this transform may still be written, or was given to the caller. */
  holds(transform: T): boolean {
    const kept = [this.sound, this.agreed].some(
      (checkpoint) => checkpoint?.transform === transform,
    );
    return kept || this.given.has(transform);
  }

  /** Records a step with sound parameters, and whether all ranks have the same ones. */
  note(checkpoint: FitCheckpoint<T>, isAgreed: boolean): void {
    if (checkpoint.step > this.start.step) this.sound = checkpoint;
    if (isAgreed) this.agreed = checkpoint;
  }

  async keepIfDue(): Promise<void> {
    const { sound } = this;
    if (!sound || sound.step >= this.options.steps || !this.isDue(sound.step)) return;
    const begin = performance.now();
    this.writing = this.team.attempt(() => this.give(sound));
    await this.writing;
    this.lastTime = performance.now();
    this.lastDuration = this.lastTime - begin;
  }

  /**
   * Writes the last checkpoint of a fit that ends early: the last sound one, or the last agreed one
   * where ranks have diverged since.
   */
  async keepLast(which: "sound" | "agreed" = "sound"): Promise<void> {
    // An earlier checkpoint must not overwrite this one.
    await this.writing.catch(() => undefined);
    if (this.sound) await this.give(this[which] as FitCheckpoint<T>);
  }

  private give(checkpoint: FitCheckpoint<T>): void | Promise<void> {
    this.given.add(checkpoint.transform);
    return this.options.onCheckpoint?.(checkpoint);
  }

  private isDue(step: number): boolean {
    const { checkpointEvery, checkpointSeconds = Infinity } = this.options;
    const { steps, checkpointShare = 0 } = this.options;
    if (checkpointEvery !== undefined && step % checkpointEvery === 0) return true;
    // An extension of the fit resumes from its last checkpoint.
    if (checkpointShare > 0 && step === steps - 1) return true;
    const elapsed = performance.now() - this.lastTime;
    return elapsed > 1000 * checkpointSeconds || elapsed * checkpointShare > this.lastDuration;
  }
}
