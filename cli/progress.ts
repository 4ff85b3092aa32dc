import type { Effects } from "./effects.js";
import { duration } from "./text.js";

/** Milliseconds between two lines: a terminal redraws its line, a log file gets a few of them. */
const terminalInterval = 100;
const logInterval = 5000;
/** The time left is shown after this share of the work, or this many milliseconds of it. */
const leastShare = 0.02;
const leastMeasured = 20_000;

/** A line on stderr with what is done, the rate and the time left. */
export class Progress {
  private readonly start: number;
  private last: number;
  private shown = false;
  /** The clock and the work done when the work itself began, after files were read. */
  private base: { readonly at: number; readonly done: number } | undefined;

  constructor(
    private readonly effects: Effects,
    private readonly label: string,
    private total: number,
    /** What was done before: it says nothing of how fast the rest will be. */
    private readonly from = 0,
  ) {
    this.start = effects.now();
    this.last = this.start;
  }

  /** Where it turns out to be another. */
  expect(total: number): void {
    this.total = total;
  }

  /**
   * After `done` of the total; `detail` is shown as it is, in place of the rate where it has one of
   * its own.
   */
  report(done: number, detail?: string): void {
    this.reportAs(done, (rate) => {
      const shown = detail ?? `${rate.toFixed(rate < 10 ? 1 : 0)}/s`;
      return `${this.label} ${done}/${this.total}, ${shown}`;
    });
  }

  /** The same in words of the caller, who is told how much is done in a second. */
  reportAs(done: number, words: (rate: number) => string): void {
    const now = this.effects.now();
    this.base ??= this.isLittle(done) ? { at: now, done } : { at: this.start, done: this.from };
    const { isTerminal, columns } = this.effects.stderr;
    if (now - this.last < (isTerminal ? terminalInterval : logInterval)) return;
    this.last = now;
    this.shown = true;
    const seconds = (now - this.start) / 1000;
    const rate = (done - this.from) / seconds;
    const text = words(rate);
    const left = this.timeLeft(done, now, this.base);
    const line = `${isTerminal ? fitting(text, columns, left.length) : text}${left}`;
    this.effects.stderr.write(isTerminal ? `\r${line}\u001b[K` : `${line}\n`);
  }

  private isLittle(done: number): boolean {
    return done - this.from < leastShare * (this.total - this.from);
  }

  /** Empty until enough work is measured. */
  private timeLeft(done: number, now: number, base: { at: number; done: number }): string {
    const measured = now - base.at;
    const isKnown = done > base.done && (!this.isLittle(done) || measured >= leastMeasured);
    if (!isKnown) return "";
    const seconds = (measured / 1000) * ((this.total - done) / (done - base.done));
    return `, ${duration(seconds)} left`;
  }

  /** Clears a terminal's line; returns the seconds since the start. */
  finish(): number {
    if (this.shown && this.effects.stderr.isTerminal) this.effects.stderr.write("\r\u001b[K");
    return (this.effects.now() - this.start) / 1000;
  }
}

/**
 * Cuts a text to the width of a terminal, less what is `reserved` behind it: a line that wraps
 * cannot be drawn over. A terminal of unknown width has 0 columns.
 */
export function fitting(text: string, columns = 0, reserved = 0): string {
  if (columns === 0 || text.length + reserved < columns) return text;
  return `${text.slice(0, Math.max(0, columns - 2 - reserved))}…`;
}

/** Tells how far the opening of a set of images is, which takes its time where there are many. */
export async function whileLooking<Result>(
  effects: Effects,
  paths: number,
  open: (onProgress: (done: number, total: number) => void) => Promise<Result>,
): Promise<Result> {
  const progress = new Progress(effects, "looking at images", paths);
  try {
    return await open((done, total) => {
      progress.expect(total);
      progress.report(done);
    });
  } finally {
    progress.finish();
  }
}
