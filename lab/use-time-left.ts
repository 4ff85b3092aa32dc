import { useRef } from "preact/hooks";
import { TimeLeft, durationText } from "./duration.js";

/** Returns ", 12 s left" for a progress from 0 to 1, or nothing while the time is unknown. */
export function useTimeLeft(part: number | null, isHeld: boolean): string {
  const estimate = useRef<TimeLeft | null>(null);
  if (part === null) {
    estimate.current = null;
    return "";
  }
  estimate.current ??= new TimeLeft();
  estimate.current.note(part, performance.now(), isHeld);
  const { seconds } = estimate.current;
  return Number.isNaN(seconds) || isHeld ? "" : `, ${durationText(seconds)} left`;
}
