import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Returns the width of a box in pixels, 0 before it is known. Hidden boxes keep their width. */
export function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = box;
    if (!current) return undefined;
    const measure = (): void => {
      const found = Math.floor(current.clientWidth);
      if (found > 0) setWidth(found);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => {
      observer.disconnect();
    };
  }, []);
  return { box, width };
}
