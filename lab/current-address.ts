/** What the address bar says, as a signal. */
import { effect, signal } from "@preact/signals";
import { type Address, formatAddress, parseAddress } from "./address.js";

export const address = signal(parseAddress(location.hash));

/** In milliseconds without a change, before the address is written: browsers ignore, or refuse, more than some hundred in a few seconds. */
const pause = 250;

let timer: ReturnType<typeof setTimeout> | undefined;
let isPending = false;
/** What the bar has as far as is known: another one comes from the user. */
let inBar = location.hash;

addEventListener("hashchange", () => {
  clearTimeout(timer);
  isPending = false;
  inBar = location.hash;
  address.value = parseAddress(inBar);
});
addEventListener("pagehide", writeAddress);
// A link leaves an entry in the history, which is to have what was chosen last.
addEventListener("click", writeAddress, { capture: true });

/** Replaces the address, without a new entry in the history: sliders would make hundreds. */
export function replaceAddress(next: Address): void {
  address.value = next;
  isPending = true;
  clearTimeout(timer);
  timer = setTimeout(writeAddress, pause);
}

function writeAddress(): void {
  clearTimeout(timer);
  // Whoever has followed a link in the meantime wants to be there.
  if (!isPending || location.hash !== inBar) return;
  try {
    history.replaceState(null, "", formatAddress(address.peek()));
    inBar = location.hash;
    isPending = false;
  } catch {
    // Too many, for this browser: the next one is written, or the last one when the page is left.
  }
}

/** By panel: where one was in it last. */
const visited = new Map<string, Address>();
effect(() => {
  visited.set(address.value.panel, address.value);
});

/** For a link to a panel: as it was left. */
export function lastAddressOf(panel: string): string {
  return formatAddress(visited.get(panel) ?? { panel, values: new Map() });
}
