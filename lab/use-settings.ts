/**
 * The state of a panel, held in its address:
 *
 *   const [state, change, field] = useSettings("pairs", settings);
 *   <NumberField label="Seed" {...field("seed")} />
 */
import { useComputed } from "@preact/signals";
import { useCallback, useEffect } from "preact/hooks";
import {
  type NumberRange,
  type Settings,
  addressOf,
  addressProblems,
  readSettings,
} from "./address.js";
import { addressOfPanel, replaceAddress, reportAddress } from "./current-address.js";

/** Returns the properties of the control of a setting. */
export type Fields<T> = <K extends keyof T>(
  name: K,
) => {
  readonly value: T[K];
  readonly onChange: (value: T[K]) => void;
} & (T[K] extends number ? NumberRange : unknown);

export function useSettings<T extends object>(
  panel: string,
  settings: Settings<T>,
): readonly [state: T, change: (part: Partial<T>) => void, field: Fields<T>] {
  // Computed, so that changes in one panel do not redraw the others.
  const address = useComputed(() => addressOfPanel(panel));
  const state = readSettings(settings, address.value);
  useEffect(() => {
    const problems = addressProblems(settings, address.value);
    if (problems.length === 0) return;
    reportAddress(panel, problems);
    replaceAddress(addressOf(panel, settings, readSettings(settings, address.value)));
  }, [address.value]);
  const change = useCallback(
    (part: Partial<T>) => {
      const now = readSettings(settings, addressOfPanel(panel));
      replaceAddress(addressOf(panel, settings, { ...now, ...part }));
    },
    [panel, settings],
  );
  const field = <K extends keyof T>(name: K) => ({
    value: state[name],
    onChange: (value: T[K]): void => {
      change({ [name]: value } as unknown as Partial<T>);
    },
    ...settings[name].range,
  });
  return [state, change, field as Fields<T>];
}
