/** When checkpoints of a fit are made, and of which step. */
import type { AnyTransform } from "../transforms/image-cascade.js";
import type { FitTeam } from "./fit-team.js";
import type { FitCheckpoint, FitOptions } from "./fit-records.js";

export class CheckpointKeeper<T extends AnyTransform> {
  /**
   * Where the fit stood when its parameters were last found sound; undefined as long as that is
   * where it began.
   */
  private sound: FitCheckpoint<T> | undefined;
  /** Where all ranks were last found to have the same numbers. */
  private agreed: FitCheckpoint<T>;
  private lastTime = performance.now();
  /** That is being written. */
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: FitOptions<T>,
    private readonly start: FitCheckpoint<T>,
    private readonly team: FitTeam,
  ) {
    this.agreed = start;
  }

  /** A step whose parameters were just found sound, and perhaps to be those of all ranks. */
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

  /** For a fit that ends early. */
  async keepLast(): Promise<void> {
    // What was begun must not overtake what comes last.
    await this.writing.catch(() => undefined);
    if (this.sound) await this.options.onCheckpoint?.(this.sound);
  }

  /**
   * For ranks that have come to other numbers: what was kept since they had the same may be wrong.
   */
  async keepAgreed(): Promise<void> {
    await this.writing.catch(() => undefined);
    if (this.sound) await this.options.onCheckpoint?.(this.agreed);
  }

  private isDue(step: number): boolean {
    const { checkpointEvery, checkpointSeconds = Infinity } = this.options;
    if (checkpointEvery !== undefined && step % checkpointEvery === 0) return true;
    return performance.now() - this.lastTime > 1000 * checkpointSeconds;
  }
}
