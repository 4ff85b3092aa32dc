/** What the system says: `useMedia("(prefers-reduced-motion: reduce)")`. */
import { useEffect, useState } from "preact/hooks";

export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const change = (): void => {
      setMatches(list.matches);
    };
    change();
    list.addEventListener("change", change);
    return () => {
      list.removeEventListener("change", change);
    };
  }, [query]);
  return matches;
}
