import { useEffect, useState } from "preact/hooks";

const milliseconds = 400;

/** Returns whether `isSo` has been true for a while, so that short states are not shown. */
export function useLasting(isSo: boolean): boolean {
  const [hasLasted, setLasted] = useState(false);
  useEffect(() => {
    if (!isSo) return undefined;
    const timer = setTimeout(() => {
      setLasted(true);
    }, milliseconds);
    return () => {
      clearTimeout(timer);
      setLasted(false);
    };
  }, [isSo]);
  return isSo && hasLasted;
}
