/** Whether something has been so for a while: what is over at once need not be said. */
import { useEffect, useState } from "preact/hooks";

const usual = 400;

export function useLasting(isSo: boolean, milliseconds = usual): boolean {
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
  }, [isSo, milliseconds]);
  return isSo && hasLasted;
}
