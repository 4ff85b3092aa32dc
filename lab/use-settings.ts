/** The state of a panel, which is the address: `const [state, change] = useSettings("pairs", settings)`. */
import { useCallback } from "preact/hooks";
import { type Settings, addressOf, readSettings } from "./address.js";
import { address, replaceAddress } from "./current-address.js";

export function useSettings<T extends object>(
  panel: string,
  settings: Settings<T>,
): readonly [state: T, change: (part: Partial<T>) => void] {
  const state = readSettings(settings, address.value);
  const change = useCallback(
    (part: Partial<T>) => {
      const now = readSettings(settings, address.peek());
      replaceAddress(addressOf(panel, settings, { ...now, ...part }));
    },
    [panel, settings],
  );
  return [state, change];
}
