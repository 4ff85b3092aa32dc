/** The state of a panel, which is its address: `const [state, change] = useSettings("pairs", settings)`. */
import { useComputed } from "@preact/signals";
import { useCallback } from "preact/hooks";
import { type Settings, addressOf, readSettings } from "./address.js";
import { addressOfPanel, replaceAddress } from "./current-address.js";

export function useSettings<T extends object>(
  panel: string,
  settings: Settings<T>,
): readonly [state: T, change: (part: Partial<T>) => void] {
  // Panels that are hidden do not hear of the changes of the open one.
  const address = useComputed(() => addressOfPanel(panel));
  const state = readSettings(settings, address.value);
  const change = useCallback(
    (part: Partial<T>) => {
      const now = readSettings(settings, addressOfPanel(panel));
      replaceAddress(addressOf(panel, settings, { ...now, ...part }));
    },
    [panel, settings],
  );
  return [state, change];
}
