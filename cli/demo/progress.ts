/** One line for all that the demo does, with the time left for the whole of it. */
import type { Effects } from "../effects.js";
import { fitting } from "../progress.js";
import { duration } from "../text.js";

/** Milliseconds between two lines: a terminal redraws its line, a log file gets a few of them. */
const terminalInterval = 100;
const logInterval = 10_000;
/** Earlier, the time left is a guess. */
const leastKnown = 0.02;

export interface Stage {
  readonly label: string;
  /** How long it takes compared with the others. */
  readonly cost: number;
}

export class DemoProgress {
  private readonly start: number;
  private readonly total: number;
  private last = -Infinity;
  private before = 0;
  private stage: Stage = { label: "", cost: 0 };

  constructor(
    private readonly effects: Effects,
    stages: readonly Stage[],
  ) {
    this.start = effects.now();
    this.total = stages.reduce((sum, { cost }) => sum + cost, 0);
  }

  /** The next of the stages; the one before is done. */
  enter(stage: Stage): void {
    this.before += this.stage.cost;
    this.stage = stage;
    this.report(0);
  }

  /** `part` of the stage is done, from 0 to 1; `detail` is shown as it is. */
  report(part: number, detail = ""): void {
    const { stderr, now } = this.effects;
    if (now() - this.last < (stderr.isTerminal ? terminalInterval : logInterval)) return;
    this.last = now();
    const done = (this.before + part * this.stage.cost) / this.total;
    const left = ((1 - done) / done) * this.seconds();
    const percent = `${Math.floor(100 * done)} %`.padStart(5);
    const texts = [this.stage.label, detail, done < leastKnown ? "" : `${duration(left)} left`];
    const text = `${percent}  ${texts.filter((word) => word !== "").join(", ")}`;
    const { columns } = stderr;
    stderr.write(stderr.isTerminal ? `\r${fitting(text, columns)}\u001b[K` : `${text}\n`);
  }

  seconds(): number {
    return (this.effects.now() - this.start) / 1000;
  }

  /** Makes room for a result; the line comes back with the next report. */
  clear(): void {
    if (this.effects.stderr.isTerminal) this.effects.stderr.write("\r\u001b[K");
  }
}
