/** Addresses as signals: that of the open panel, in the bar, and the last ones of the others. */
import { batch, signal } from "@preact/signals";
import { type Address, formatAddress, parseAddress } from "./address.js";
import { panels } from "./panels/panels.js";

/** Addresses of the panels that were opened, by name. */
const addresses = signal<ReadonlyMap<string, Address>>(new Map());
/** The name of the panel that is open. */
export const openPanel = signal("");

/**
 * In milliseconds without a change, before the address is written: browsers ignore, or refuse, more
 * than some hundred in a few seconds.
 */
const pause = 250;

let timer: ReturnType<typeof setTimeout> | undefined;
let isPending = false;
/** Address in the bar as far as is known: another one comes from the user. */
let inBar = "";

followBar();
addEventListener("hashchange", followBar);
addEventListener("pagehide", writeAddress);
// A link leaves an entry in the history, which is to have what was chosen last.
addEventListener("click", writeAddress, { capture: true });

function followBar(): void {
  clearTimeout(timer);
  isPending = false;
  inBar = location.hash;
  const { panel, values } = parseAddress(inBar);
  // Without a name, or with one that there is not, it is the first panel.
  const { name } = panels.find((entry) => entry.name === panel) ?? panels[0];
  batch(() => {
    note({ panel: name, values });
    openPanel.value = name;
  });
}

function note(address: Address): void {
  addresses.value = new Map(addresses.peek()).set(address.panel, address);
}

/**
 * Replaces the address of a panel, without a new entry in the history: sliders would make hundreds.
 */
export function replaceAddress(next: Address): void {
  note(next);
  // The bar belongs to the open one: that of a hidden panel is there when it is opened again.
  if (next.panel !== openPanel.peek()) return;
  isPending = true;
  clearTimeout(timer);
  timer = setTimeout(writeAddress, pause);
}

function writeAddress(): void {
  clearTimeout(timer);
  // Whoever has followed a link in the meantime wants to be there.
  if (!isPending || location.hash !== inBar) return;
  try {
    history.replaceState(null, "", linkTo(openPanel.peek()));
    inBar = location.hash;
    isPending = false;
  } catch {
    // Too many, for this browser: the next one is written, or the last one when the page is left.
  }
}

export function wasOpened(panel: string): boolean {
  return addresses.value.has(panel);
}

/** Returns the address of a panel as it is, or as it was left. */
export function addressOfPanel(panel: string): Address {
  return addresses.value.get(panel) ?? { panel, values: new Map() };
}

export function linkTo(panel: string): string {
  return formatAddress(addressOfPanel(panel));
}
