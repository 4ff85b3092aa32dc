import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** Returns whether an element has been near the window: its figure computes from then on. */
export function useNear(): {
  readonly place: RefObject<HTMLElement | null>;
  readonly isNear: boolean;
} {
  const place = useRef<HTMLElement>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (!place.current || isNear) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
      },
      { rootMargin: "25% 0px" },
    );
    observer.observe(place.current);
    return () => {
      observer.disconnect();
    };
  }, [isNear]);
  return { place, isNear };
}
