import type { Effects } from "./effects.js";
import { duration } from "./text.js";

/** Milliseconds between two lines: a terminal redraws its line, a log file gets a few of them. */
const terminalInterval = 100;
const logInterval = 5000;
/** The time left is shown after this share of the work, or this many milliseconds of it. */
const leastShare = 0.02;
const leastMeasured = 20_000;

export interface ProgressOptions {
  /** Unit of the work, in the plural: "patches". */
  readonly unit?: string;
  /** Work done by an earlier run, which does not count for the rate. */
  readonly from?: number;
  /** Relative time that the first n units take; default: all units take the same time. */
  readonly workOf?: (done: number) => number;
}

/** A line on stderr with the work done, the rate and the time left. */
export class Progress {
  private readonly start: number;
  private last: number;
  private shown = false;
  private readonly from: number;
  private readonly unit: string;
  private readonly workOf: (done: number) => number;
  /** Clock and work done when the work itself began, after files were read. */
  private base: { readonly at: number; readonly done: number } | undefined;

  constructor(
    private readonly effects: Effects,
    private readonly label: string,
    private total: number,
    { unit, from = 0, workOf = (done) => done }: ProgressOptions = {},
  ) {
    this.start = effects.now();
    this.last = this.start;
    this.from = from;
    this.workOf = workOf;
    this.unit = unit === undefined ? "" : ` ${unit}`;
  }

  /** Corrects the total. */
  expect(total: number): void {
    this.total = total;
  }

  /** Reports `done` of the total; `detail` replaces the rate. */
  report(done: number, detail?: string): void {
    this.reportAs(done, (rate) => {
      const shown = detail ?? `${rate.toFixed(rate < 10 ? 1 : 0)}${this.unit}/s`;
      return `${this.label} ${done}/${this.total}${this.unit}, ${shown}`;
    });
  }

  /** Reports in the caller's words, which get the rate per second. */
  reportAs(done: number, words: (rate: number) => string): void {
    const now = this.effects.now();
    this.base ??= this.isLittle(done) ? { at: now, done } : { at: this.start, done: this.from };
    const { isTerminal, columns } = this.effects.stderr;
    if (now - this.last < (isTerminal ? terminalInterval : logInterval)) return;
    this.last = now;
    this.shown = true;
    const seconds = (now - this.start) / 1000;
    const text = words((done - this.from) / seconds);
    const left = this.timeLeft(done, now, this.base);
    const line = `${isTerminal ? fitting(text, columns, left.length) : text}${left}`;
    this.effects.stderr.write(isTerminal ? `\r${line}\u001b[K` : `${line}\n`);
  }

  private isLittle(done: number): boolean {
    return done - this.from < leastShare * (this.total - this.from);
  }

  /** Returns an empty text until enough work is measured. */
  private timeLeft(done: number, now: number, base: { at: number; done: number }): string {
    const measured = now - base.at;
    const isKnown = done > base.done && (!this.isLittle(done) || measured >= leastMeasured);
    if (!isKnown) return "";
    const [all, soFar, before] = [this.total, done, base.done].map(this.workOf);
    const seconds = (measured / 1000) * ((all - soFar) / (soFar - before));
    return `, ${duration(seconds)} left`;
  }

  /** Clears a terminal's line; returns the seconds since the start. */
  finish(): number {
    if (this.shown) clearLine(this.effects);
    return (this.effects.now() - this.start) / 1000;
  }
}

export function clearLine({ stderr }: Pick<Effects, "stderr">): void {
  if (stderr.isTerminal) stderr.write("\r\u001b[K");
}

/**
 * Cuts a text to the width of a terminal, minus the characters `reserved` after it: a line that
 * wraps cannot be redrawn. A terminal of unknown width has 0 columns.
 */
function fitting(text: string, columns = 0, reserved = 0): string {
  if (columns === 0 || text.length + reserved < columns) return text;
  return `${text.slice(0, Math.max(0, columns - 2 - reserved))}…`;
}

/** Shows progress while a set of images is opened. */
export async function whileOpening<Result>(
  effects: Effects,
  paths: number,
  open: (onProgress: (done: number, total: number) => void) => Promise<Result>,
): Promise<Result> {
  const progress = new Progress(effects, "checking images", paths);
  try {
    return await open((done, total) => {
      progress.expect(total);
      progress.report(done);
    });
  } finally {
    progress.finish();
  }
}
