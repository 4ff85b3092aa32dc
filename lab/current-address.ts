/** What the address bar says, as a signal. */
import { signal } from "@preact/signals";
import { type Address, formatAddress, parseAddress } from "./address.js";

export const address = signal(parseAddress(location.hash));

addEventListener("hashchange", () => {
  address.value = parseAddress(location.hash);
});

/** Replaces the address, without a new entry in the history: sliders would make hundreds. */
export function replaceAddress(next: Address): void {
  address.value = next;
  history.replaceState(null, "", formatAddress(next));
}
