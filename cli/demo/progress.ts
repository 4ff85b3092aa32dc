/** One progress line for the whole demo, with the time left for all its stages. */
import type { Effects } from "../effects.js";
import { Progress } from "../progress.js";

export interface Stage {
  readonly label: string;
  /** Time relative to the other stages. */
  readonly cost: number;
}

export class DemoProgress {
  private readonly start: number;
  private readonly total: number;
  private readonly progress: Progress;
  private before = 0;
  private stage: Stage = { label: "", cost: 0 };

  constructor(
    private readonly effects: Effects,
    stages: readonly Stage[],
  ) {
    this.start = effects.now();
    this.total = stages.reduce((sum, { cost }) => sum + cost, 0);
    this.progress = new Progress(effects, "demo", this.total);
  }

  /** Begins the next stage. */
  enter(stage: Stage): void {
    this.before += this.stage.cost;
    this.stage = stage;
    this.report(0);
  }

  /** Reports the share of the stage that is done, from 0 to 1. */
  report(share: number, detail = ""): void {
    const done = this.before + share * this.stage.cost;
    const percent = `${Math.floor((100 * done) / this.total)} %`.padStart(5);
    const words = detail === "" ? this.stage.label : `${this.stage.label}, ${detail}`;
    this.progress.reportAs(done, () => `${percent}  ${words}`);
  }

  seconds(): number {
    return (this.effects.now() - this.start) / 1000;
  }

  /** Makes room for a result; the line returns with the next report. */
  clear(): void {
    this.progress.finish();
  }
}
