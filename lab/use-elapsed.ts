import { useEffect, useState } from "preact/hooks";
import { useIsOpen } from "./is-open.js";

const millisecondsBetween = 500;

/** Returns the seconds since a time of `performance.now()`, twice a second; 0 for null. */
export function useElapsed(start: number | null): number {
  const [, setRound] = useState(0);
  const isOpen = useIsOpen();
  useEffect(() => {
    if (start === null || !isOpen) return undefined;
    const timer = setInterval(() => {
      setRound((round) => round + 1);
    }, millisecondsBetween);
    return () => {
      clearInterval(timer);
    };
  }, [start, isOpen]);
  return start === null ? 0 : (performance.now() - start) / 1000;
}
