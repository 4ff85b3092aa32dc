/**
 * Panels stay as they are when another one is opened: hidden, while what they have begun goes on.
 */
import type { ReadonlySignal } from "@preact/signals";
import { createContext } from "preact";
import { useContext, useRef } from "preact/hooks";

/** Whether the panel around is the one that is open. */
export const IsOpen = createContext(true);

export function useIsOpen(): boolean {
  return useContext(IsOpen);
}

/**
 * The value of a signal, as it was last while the panel was open: what nobody sees need not be
 * drawn.
 */
export function useWhileOpen<T>(source: ReadonlySignal<T>): T {
  const seen = useRef<T>(source.peek());
  if (useIsOpen()) seen.current = source.value;
  return seen.current;
}
