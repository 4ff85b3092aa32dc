/** Durations for people: "12 s", "3 min", "1.5 h". */
import { fixed } from "../src/numbers/format-number.js";

/** Returns "…" for a duration that is not known yet. */
export function durationText(seconds: number): string {
  if (!Number.isFinite(seconds)) return "…";
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${fixed(seconds / 3600, 1)} h`;
}

/** Estimates the time left from progress reports. Time while the work is held does not count. */
export class TimeLeft {
  private start = { part: 0, at: 0 };
  private last: { readonly part: number; readonly at: number } | null = null;
  private held = 0;

  /** Notes that `part` of the work, from 0 to 1, is done at a time in milliseconds. */
  note(part: number, at: number, isHeld: boolean): void {
    const { last } = this;
    // The work began again.
    if (last === null || part < last.part) {
      this.start = { part, at };
      this.held = 0;
    } else if (isHeld) this.held += at - last.at;
    this.last = { part, at };
  }

  /** Returns the seconds left; NaN while too little is done. */
  get seconds(): number {
    const { start, last, held } = this;
    if (last === null || last.part - start.part < 0.02) return NaN;
    const spent = (last.at - start.at - held) / 1000;
    return (spent * (1 - last.part)) / (last.part - start.part);
  }
}
