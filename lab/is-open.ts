/** Whether a panel is open. Hidden panels keep their state, and their jobs continue. */
import type { ReadonlySignal } from "@preact/signals";
import { createContext } from "preact";
import { useContext, useRef } from "preact/hooks";

export const IsOpen = createContext(true);

/** Name of the panel that contains a component. */
export const PanelName = createContext("");

export function useIsOpen(): boolean {
  return useContext(IsOpen);
}

/** Returns the value of a signal. While the panel is hidden it stays the same, to save redraws. */
export function useWhileOpen<T>(source: ReadonlySignal<T>): T {
  const seen = useRef<T>(source.peek());
  if (useIsOpen()) seen.current = source.value;
  return seen.current;
}
